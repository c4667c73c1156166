// Runs before anything is drawn, so that a chosen appearance does not flash. No module: modules come too late.
{
  const chosen = (() => {
    try {
      return localStorage.getItem("docyard.appearance");
    } catch {
      return null;
    }
  })();
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.appearance = chosen;
}
