// Stands in the page itself, before everything else. No module: modules come too late.
{
  // So that a chosen appearance does not flash.
  const chosen = (() => {
    try {
      return localStorage.getItem("docyard.appearance");
    } catch {
      return null;
    }
  })();
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.appearance = chosen;

  // What the screen asks first, while its modules are on their way; api/client.js takes the answers.
  const headers = { "content-type": "application/json", "x-docyard-session": "1", accept: "application/graphql-response+json, application/json" };
  const ask = (body) => fetch(`${document.documentElement.dataset.base}/graphql`, { method: "POST", headers, body: JSON.stringify(body) });
  window.docyardFirst = JSON.parse(document.querySelector("meta[name=docyard-first]").content).map((body) => {
    const { operationName: name, variables, extensions } = body, answer = variables && ask(body);
    answer?.catch(() => undefined); // who takes it is told
    return { name, variables, hash: extensions.persistedQuery.sha256Hash, answer };
  });
}
