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
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  const copySelected = () => {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  };
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-live", "polite");
  button.setAttribute("aria-label", "Copy: " + (box.dataset.what || "command"));
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
  box.classList.add("live");
  box.append(button);
}
`;
