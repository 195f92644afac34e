import { InvalidArgumentError } from "commander";

/** Checks of flags' values, for commander: each returns the value or says what it must be. */

/** A flag that may be given several times. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

export function positive(value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new InvalidArgumentError("must be a whole number from 1 to 9999");
  return Number(value);
}

/** `8.6` */
export function decimal(value: string): number {
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(value)) throw new InvalidArgumentError("must be a number such as 8.6");
  return Number(value);
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new InvalidArgumentError("must be a whole number from 0 to 999999");
  return Number(value);
}
