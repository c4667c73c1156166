// Every address of the console and the module of its screen, the first that fits. A part in `:name` is one part
// of the path, `*name` is the rest. A screen is the default export: a component with `params` and `query`.

/** @type {[string, () => Promise<any>][]} */
export const ROUTES = [
  ["/", () => import("./home/home.js")],
  ["/console/new", () => import("./organization/create.js")],
  ["/account/*part", () => import("./account/account.js")],
  ["/o/:organization", () => import("./organization/content.js")],
  ["/o/:organization/c/:collection", () => import("./organization/collection.js")],
  ["/o/:organization/changes", () => import("./changes/organization.js")],
  ["/o/:organization/import", () => import("./imports/screen.js")],
  ["/o/:organization/import/:run", () => import("./imports/run.js")],
  ["/o/:organization/people/*part", () => import("./people/people.js")],
  ["/integrations/:name", () => import("./integrations/integration.js")],
  ["/o/:organization/integrations", () => import("./integrations/list.js")],
  ["/o/:organization/integrations/~/*part", () => import("./integrations/list.js")],
  ["/o/:organization/integrations/:name/*part", () => import("./integrations/integration.js")],
  ["/o/:organization/jobs/*state", () => import("./jobs/jobs.js")],
  ["/o/:organization/openapi", () => import("./openapi/list.js")],
  ["/o/:organization/openapi/:spec", () => import("./openapi/spec.js")],
  ["/o/:organization/sites", () => import("./sites/list.js")],
  ["/o/:organization/site/:site/*part", () => import("./sites/settings_screen.js")],
  ["/o/:organization/s/:space/~/changes", () => import("./changes/list.js")],
  ["/o/:organization/s/:space/~/changes/:number/~/*part", () => import("./changes/parts.js")],
  ["/o/:organization/s/:space/~/changes/:number/*page", () => import("./changes/change.js")],
  ["/o/:organization/s/:space/~/edit/*page", () => import("./editor/editor.js")],
  ["/o/:organization/s/:space/~/comments", () => import("./comments/list.js")],
  ["/o/:organization/s/:space/~/revisions", () => import("./history/list.js")],
  ["/o/:organization/s/:space/~/revisions/:revision/*page", () => import("./history/revision.js")],
  ["/o/:organization/s/:space/~/settings/*part", () => import("./space/settings.js")],
  ["/o/:organization/s/:space/~/links", () => import("./space/links.js")],
  ["/o/:organization/s/:space/*page", () => import("./space/space.js")],
];
