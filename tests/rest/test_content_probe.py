from tests import make
import json
def small(l):
    t=l.get("targetReference") or {}
    loc=l["locationReferences"][0]
    return (l["status"],l["relation"],t.get("kind"),(t.get("page") or {}).get("path"),(t.get("file") or {}).get("name"),t.get("url"),t.get("anchor"),loc["page"]["path"],loc["internalLocation"])
def test_probe(cast):
    s = make.filled_space(cast)
    r = cast.ria.get(f"/v1/spaces/{s}/links").json()
    print(r["stats"], *map(small, r["items"]), sep="\n")
    for q in ["lamp","größe","wick","oil","!!!", '"', "trim daily", "the lamp trim"]:
        print(q, [(h["title"], h["score"], [x["title"] for x in h["sections"]]) for h in cast.ria.get(f"/v1/spaces/{s}/search", params={"query":q}).json()["items"]])
    # hostile
    def try_(name, files):
        sp = make.space(cast.ada, cast.organization)["id"]
        try:
            make.imported(cast, sp, files)
        except Exception as e:
            print(name, "IMPORT", type(e), str(e)[:200]); return
        for path in ("content","content/pages","links","content/page-first"):
            if path=="content/page-first":
                pages = cast.ria.get(f"/v1/spaces/{sp}/content/pages").json().get("pages")
                if not pages: continue
                for f in ("markdown","document"):
                    a = cast.ria.get(f"/v1/spaces/{sp}/content/page/{pages[0]['id']}", params={"format":f,"evaluated":"true"})
                    if a.status_code!=200: print(name, f, a.status_code, a.text[:200])
            else:
                a = cast.ria.get(f"/v1/spaces/{sp}/{path}")
                if a.status_code!=200: print(name, path, a.status_code, a.text[:200])
    import random
    rnd = random.Random(1)
    word = lambda n: "".join(rnd.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(n))
    try_("nul anchor", {"README.md":"[x](b.md#%00) [y](#%00)", "b.md":"x"})
    try_("nul yaml", {"README.md":'---\ntitle: "a\\0b"\ndescription: "x\\0y"\nicon: "\\0"\nvars:\n  a: "\\0"\n---\nhi'})
    try_("surrogate yaml", {"README.md":'---\ntitle: "a\\ud800b"\ndescription: "x\\ud800y"\nvars:\n  a: "\\ud800"\n---\nhi'})
    try_("vars", {"README.md":'x', ".gitbook/vars.yaml":'a: "\\0"\nb: "\\ud800"\n'})
    try_("cover", {"README.md":'---\ncover: "\\0"\n---\nhi'})
    try_("layoutbig", {"README.md":'---\ncoverY: .nan\n---\nhi'})
    try_("coverinf", {"README.md":'---\ncoverY: 1e400\nvars:\n  a: 1e309\n  b: 99999999999999999999999\n---\nhi'})
    try_("bigint", {"README.md":'---\ncoverY: 9223372036854775807\nvars:\n  b: 9223372036854775807\n---\nhi'})
    try_("deep summary", {"README.md":"x","SUMMARY.md":"".join("  "*i+f"* [p{i}](p{i}.md)\n" for i in range(100)), **{f"p{i}.md":"x" for i in range(100)}})
    deep = {"/".join([word(100) for _ in range(9)])+"/a.md":"x" for _ in range(3)}
    try_("long dirs", {"README.md":"x",**deep})
    lines=[f"{'  '*i}* [{word(100)}](p{i}.md)\n" for i in range(62)]
    try_("long groups", {"README.md":"x","SUMMARY.md":"".join(f"{'  '*i}* {word(100)}\n" for i in range(60))+"  "*60+"* [x](x.md)\n","x.md":"q"})
    try_("1MB distinct", {"README.md":" ".join(word(9) for _ in range(200000))})
    try_("deep quote", {"README.md":">"*3000+" x"})
    try_("deep list", {"README.md":"".join("  "*i+"* x\n" for i in range(300))})
    try_("deep emph", {"README.md":"*_"*2000+"x"+"_*"*2000})
    try_("deep tags", {"README.md":"{% tabs %}\n{% tab title=\"x\" %}\n"*300+"x"})
    try_("deep html", {"README.md":"<details><summary>x</summary>\n\n"*400+"x"})
    try_("long word", {"README.md":"a"*3_000_000})
    try_("many links", {"README.md":"[x](y.md) "*20000})
    try_("long href", {"README.md":"[x]("+"y"*200000+".md)"})
