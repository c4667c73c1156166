"""The sandbox: runs scripts of strangers, JavaScript modules inside QuickJS inside WebAssembly.

A script is an ES module (as esbuild bundles it with `--format=esm`) whose default export has
`fetch(request, env, ctx)` and returns a Response. `running.run` calls one.
"""
