"""The names of TeX's mathematics that are understood, and what they stand for."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _pairs(words: str) -> dict[str, str]:
    split = words.split()
    return dict(zip(split[::2], split[1::2], strict=True))


SYMBOLS = _pairs(
    r"""
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ
lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ
varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ
Omega Ω sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂
bigvee ⋁ bigwedge ⋀ pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖
otimes ⊗ oslash ⊘ odot ⊙ wedge ∧ land ∧ vee ∨ lor ∨ cap ∩ cup ∪ setminus ∖ lnot ¬ neg ¬ leq ≤ le ≤ geq ≥
ge ≥ neq ≠ ne ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ prec ≺ succ ≻ preceq ⪯
succeq ⪰ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ in ∈ notin ∉ ni ∋ perp ⟂ bot ⊥ top ⊤ mid ∣
parallel ∥ vdash ⊢ models ⊨ to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒
Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵
hookrightarrow ↪ uparrow ↑ downarrow ↓ updownarrow ↕ nearrow ↗ searrow ↘ rightharpoonup ⇀
rightleftharpoons ⇌ infty ∞ partial ∂ nabla ∇ forall ∀ exists ∃ nexists ∄ emptyset ∅ varnothing ∅
angle ∠ triangle △ square □ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ imath ı jmath ȷ prime ′ dots … ldots …
cdots ⋯ vdots ⋮ ddots ⋱ degree ° dagger † ddagger ‡ therefore ∴ because ∵ langle ⟨ rangle ⟩ lfloor ⌊
rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } vert | Vert ‖ lvert | rvert | lVert ‖ rVert ‖ backslash \
lbrack [ rbrack ] checkmark ✓ triangleq ≜ doteq ≐ asymp ≍ lesssim ≲ gtrsim ≳ leqslant ⩽ geqslant ⩾
colon : amalg ⨿ diamond ⋄ cdotp ⋅ { { } } % % $ $ # # _ _ & & | ‖
"""
)
OPERATORS = _set("""
arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan tanh
""")
LIMITS = _set("argmax argmin det gcd inf lim liminf limsup max min Pr sup")
ACCENTS = _pairs(
    r"""
hat ̂ widehat ̂ bar ̄ overline ̅ vec ⃗ overrightarrow ⃗ dot ̇ ddot ̈ tilde ̃ widetilde ̃ check ̌ breve ̆
acute ́ grave ̀ mathring ̊
"""
)
VARIANTS = _pairs(
    """
mathbf strong boldsymbol bold bm bold mathbb bb mathcal cal mathscr cal mathfrak frak mathrm upright
mathsf sans mathtt mono mathit italic operatorname upright
"""
)
TEXTS = _set("text textrm textnormal textbf textit mathrm mbox hbox textsf texttt operatorname")
SPACES = {",": 0.17, ":": 0.22, ">": 0.22, ";": 0.28, "!": -0.17, " ": 0.25, "quad": 1.0, "qquad": 2.0}
LINES = _pairs("overline overline underline underline overbrace overbrace underbrace underbrace")
FENCES = {
    "matrix": ("", ""),
    "smallmatrix": ("", ""),
    "array": ("", ""),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
    "cases": ("{", ""),
}
ALIGNED = _set("aligned align align* split gathered gather gather* equation equation* eqnarray")
NOTHING = _set("""
displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag big Big bigg Bigg
bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm middle hfill allowbreak rm protect
""")
