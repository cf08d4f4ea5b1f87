// Light or dark: the system's choice, until a person makes their own.
(() => {
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const current = () => stored() ?? (system.matches ? "dark" : "light");
  const apply = () => {
    root.dataset.theme = current();
    const button = document.getElementById("theme");
    if (button) button.textContent = current() === "dark" ? "Light" : "Dark";
  };
  apply();
  system.addEventListener("change", apply);
  addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme").addEventListener("click", () => {
      try {
        localStorage.setItem("theme", current() === "dark" ? "light" : "dark");
      } catch {
        return;
      }
      apply();
      dispatchEvent(new Event("themechange"));
    });
  });
})();
