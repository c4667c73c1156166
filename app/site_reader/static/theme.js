// Before anything is drawn: the theme that this visitor chose last time.
(() => {
  const root = document.documentElement;
  root.classList.add("has-script");
  if (root.hasAttribute("data-fixed")) return;
  try {
    const chosen = localStorage.getItem("docyard-theme");
    if (chosen === "dark" || chosen === "light" || chosen === "system") root.dataset.theme = chosen;
  } catch { /* nothing is remembered here */ }
})();
