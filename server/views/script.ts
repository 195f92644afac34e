/**
 * Puts a copy button on every command. The page is whole without it. Over plain http a browser has no clipboard for
 * scripts, so the text is selected and copied as a person would.
 */
export const SCRIPT = `
for (const box of document.querySelectorAll(".cmd")) {
  const code = box.querySelector("code");
  const button = document.createElement("button");
  const say = (text) => {
    button.textContent = text;
    button.setAttribute("aria-label", text + ": " + (box.dataset.what || "command"));
  };
  const copySelected = () => {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  };
  button.type = "button";
  button.setAttribute("aria-live", "polite");
  say("Copy");
  button.addEventListener("click", async () => {
    let copied = false;
    try {
      await navigator.clipboard.writeText(code.textContent);
      copied = true;
    } catch {
      copied = copySelected();
    }
    say(copied ? "Copied" : "Press Ctrl+C");
  });
  button.addEventListener("blur", () => say("Copy"));
  box.classList.add("live");
  box.append(button);
}
`;
