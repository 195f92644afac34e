/** Why a body did not arrive whole, through no fault of the store's: the client left, or took nothing for too long. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly reason: "client-gone" | "client-stalled";

  constructor(reason: DeliveryError["reason"]) {
    super(
      reason === "client-gone"
        ? "the client closed the connection before the end"
        : "the client took nothing for too long, so its connection was dropped",
    );
    this.reason = reason;
  }
}
