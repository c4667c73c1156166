"""Text as Markdown: escapes, so that it is read back as the same text, and the shortcodes of emoji."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import cache

from markdown_it.common.utils import MD_TRIM_CHARS

from app.formats.markdown.html_syntax import begins_block

SHORTCODE = re.compile(r":([a-z0-9_+-]{1,40}):")

_NAMES = """
smile 1f604 smiley 1f603 grinning 1f600 grin 1f601 laughing 1f606 joy 1f602 rofl 1f923 blush 1f60a
wink 1f609 heart_eyes 1f60d kissing_heart 1f618 yum 1f60b sunglasses 1f60e thinking 1f914 neutral_face 1f610
expressionless 1f611 no_mouth 1f636 smirk 1f60f unamused 1f612 roll_eyes 1f644 relieved 1f60c pensive 1f614
sleepy 1f62a sleeping 1f634 mask 1f637 dizzy_face 1f635 astonished 1f632 flushed 1f633 cry 1f622 sob 1f62d
scream 1f631 confused 1f615 worried 1f61f angry 1f620 rage 1f621 triumph 1f624 innocent 1f607
nerd_face 1f913 partying_face 1f973 hugs 1f917 shushing_face 1f92b zipper_mouth_face 1f910
upside_down_face 1f643 slightly_smiling_face 1f642 skull 1f480 ghost 1f47b alien 1f47d robot 1f916
poop 1f4a9 clown_face 1f921 thumbsup 1f44d thumbsdown 1f44e ok_hand 1f44c wave 1f44b raised_hands 1f64c
clap 1f44f pray 1f64f muscle 1f4aa point_right 1f449 point_left 1f448 point_up 261d point_down 1f447
handshake 1f91d v 270c crossed_fingers 1f91e raised_hand 270b fist 270a punch 1f44a writing_hand 270d
eyes 1f440 brain 1f9e0 speaking_head 1f5e3 bust_in_silhouette 1f464 busts_in_silhouette 1f465 heart 2764
broken_heart 1f494 blue_heart 1f499 green_heart 1f49a yellow_heart 1f49b purple_heart 1f49c
black_heart 1f5a4 sparkling_heart 1f496 fire 1f525 sparkles 2728 star 2b50 star2 1f31f boom 1f4a5 zap 26a1
100 1f4af tada 1f389 confetti_ball 1f38a balloon 1f388 gift 1f381 trophy 1f3c6 medal_sports 1f3c5
crown 1f451 gem 1f48e rocket 1f680 airplane 2708 car 1f697 bus 1f68c truck 1f69a ship 1f6a2 bike 1f6b2
construction 1f6a7 rotating_light 1f6a8 traffic_light 1f6a5 anchor 2693 warning 26a0 no_entry 26d4
no_entry_sign 1f6ab stop_sign 1f6d1 x 274c white_check_mark 2705 heavy_check_mark 2714
ballot_box_with_check 2611 question 2753 exclamation 2757 bangbang 203c information_source 2139
heavy_plus_sign 2795 heavy_minus_sign 2796 heavy_multiplication_x 2716 recycle 267b copyright a9
registered ae tm 2122 red_circle 1f534 green_circle 1f7e2 yellow_circle 1f7e1 large_blue_circle 1f535
white_circle 26aa black_circle 26ab arrow_right 27a1 arrow_left 2b05 arrow_up 2b06 arrow_down 2b07
arrows_counterclockwise 1f504 arrow_forward 25b6 arrow_backward 25c0 fast_forward 23e9 rewind 23ea
bulb 1f4a1 flashlight 1f526 wrench 1f527 hammer 1f528 hammer_and_wrench 1f6e0 nut_and_bolt 1f529 gear 2699
toolbox 1f9f0 link 1f517 paperclip 1f4ce pushpin 1f4cc round_pushpin 1f4cd scissors 2702 pencil 1f4dd
pencil2 270f memo 1f4dd lock 1f512 unlock 1f513 key 1f511 shield 1f6e1 mag 1f50d mag_right 1f50e bell 1f514
no_bell 1f515 loudspeaker 1f4e2 mega 1f4e3 speech_balloon 1f4ac thought_balloon 1f4ad email 2709
envelope 2709 inbox_tray 1f4e5 outbox_tray 1f4e4 package 1f4e6 mailbox 1f4eb phone 260e telephone 260e
iphone 1f4f1 computer 1f4bb desktop_computer 1f5a5 keyboard 2328 printer 1f5a8 floppy_disk 1f4be cd 1f4bf
camera 1f4f7 movie_camera 1f3a5 tv 1f4fa radio 1f4fb battery 1f50b electric_plug 1f50c satellite 1f4e1
calendar 1f4c6 date 1f4c5 clock1 1f550 alarm_clock 23f0 stopwatch 23f1 hourglass 231b timer_clock 23f2
watch 231a file_folder 1f4c1 open_file_folder 1f4c2 page_facing_up 1f4c4 page_with_curl 1f4c3
clipboard 1f4cb bar_chart 1f4ca chart_with_upwards_trend 1f4c8 chart_with_downwards_trend 1f4c9
card_index 1f4c7 wastebasket 1f5d1 book 1f4d6 books 1f4da notebook 1f4d3 bookmark 1f516 bookmark_tabs 1f4d1
label 1f3f7 newspaper 1f4f0 scroll 1f4dc moneybag 1f4b0 dollar 1f4b5 euro 1f4b6 credit_card 1f4b3
briefcase 1f4bc mortar_board 1f393 microscope 1f52c telescope 1f52d test_tube 1f9ea dna 1f9ec syringe 1f489
pill 1f48a house 1f3e0 office 1f3e2 factory 1f3ed bank 1f3e6 hospital 1f3e5 school 1f3eb
globe_with_meridians 1f310 earth_africa 1f30d earth_americas 1f30e earth_asia 1f30f sunny 2600 cloud 2601
umbrella 2614 snowflake 2744 rainbow 1f308 ocean 1f30a moon 1f314 seedling 1f331 evergreen_tree 1f332
palm_tree 1f334 cactus 1f335 four_leaf_clover 1f340 rose 1f339 sunflower 1f33b dog 1f436 cat 1f431
mouse 1f42d bear 1f43b panda_face 1f43c penguin 1f427 bird 1f426 whale 1f433 octopus 1f419 bug 1f41b
bee 1f41d butterfly 1f98b snail 1f40c turtle 1f422 snake 1f40d crab 1f980 unicorn 1f984 dragon 1f409
apple 1f34e banana 1f34c lemon 1f34b strawberry 1f353 avocado 1f951 pizza 1f355 hamburger 1f354 cookie 1f36a
cake 1f370 coffee 2615 tea 1f375 beer 1f37a beers 1f37b wine_glass 1f377 soccer 26bd basketball 1f3c0
dart 1f3af game_die 1f3b2 jigsaw 1f9e9 video_game 1f3ae art 1f3a8 musical_note 1f3b5 headphones 1f3a7
microphone 1f3a4 checkered_flag 1f3c1 triangular_flag_on_post 1f6a9 white_flag 1f3f3 zero 30-20e3
one 31-20e3 two 32-20e3 three 33-20e3 four 34-20e3 five 35-20e3 six 36-20e3 seven 37-20e3 eight 38-20e3
nine 39-20e3 hash 23-20e3 new 1f195 free 1f193 up 1f199 cool 1f192 ok 1f197 sos 1f198 id 1f194 vs 1f19a
soon 1f51c end 1f51a top 1f51d back 1f519 infinity 267e +1 1f44d -1 1f44e
"""


@cache
def emoji_codes() -> dict[str, str]:
    """Map names to their code points, joined by hyphens where there is more than one."""
    words = _NAMES.split()
    return dict(zip(words[::2], words[1::2], strict=True))


@cache
def emoji_names() -> dict[str, str]:
    """Map code points to the first name of each."""
    found: dict[str, str] = {}
    for name, code in emoji_codes().items():
        found.setdefault(code, name)
    return found


def emoji_characters(code: str) -> str:
    """Return the characters a code stands for, or nothing for what is not a code."""
    try:
        return "".join(chr(int(part, 16)) for part in code.split("-"))
    except (ValueError, OverflowError):
        return ""


_ALWAYS = re.compile(r"[\\`*\[\]~]")
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?]|$)")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
_DOLLAR = re.compile(r"\$(?![\s\d])|\$(?=$)")
_LAST_BANG = re.compile(r"!$")
_BLOCK_TAG = re.compile(r"\{(?=[ \t]*%)")
_ANCHOR = re.compile(r"\{(?=#[^\s{}#]{1,300}\}\s*$)")
_SHORTCODE = re.compile(r":(?=([a-z0-9_+-]{1,40})(?::|$))")
_LINE_START = re.compile(r"(?P<number>\d{1,9}(?=[.)](?:\s|$)))|#{1,6}(?=\s|$)|>|[-+](?=[\s-]|$)")
_NOTE = re.compile(r"\[\^[^\s\]]+\]:")
_TRIMMED = MD_TRIM_CHARS


def text(content: str) -> str:
    """Escape text between other inlines of a Markdown line."""
    made = _ALWAYS.sub(r"\\\g<0>", content)
    for pattern in (_UNDERSCORE, _TAG_START, _DOLLAR, _LAST_BANG, _BLOCK_TAG):
        made = pattern.sub(r"\\\g<0>", made)
    made = _ENTITY.sub("&amp;", made)
    made = _ANCHOR.sub("&#123;", made)
    made = _SHORTCODE.sub(_shortcode(r"\:"), made)
    return made.replace("\r", "&#13;").replace("\n", "<br>")


def html_text(content: str) -> str:
    """Escape text between HTML tags."""
    made = html.escape(content, quote=False).replace("$", "&#36;").replace("[^", "&#91;^")
    made = _BLOCK_TAG.sub("&#123;", made)
    made = _SHORTCODE.sub(_shortcode("&#58;"), made)
    made = re.sub(r"[\t\r\f]|(?<= ) ", lambda match: f"&#{ord(match.group())};", made)
    return made.replace("\n", "<br>")


def _shortcode(colon: str) -> Callable[[re.Match[str]], str]:
    def escape(match: re.Match[str]) -> str:
        return colon if match.group(1) in emoji_codes() else ":"

    return escape


def edges(line: str) -> str:
    """Write white space at the ends of a line as entities, so that it is not trimmed away."""
    left = line.lstrip(_TRIMMED)
    middle = left.rstrip(_TRIMMED)
    before, after = line[: len(line) - len(left)], left[len(middle) :]
    if middle.startswith("<br>"):
        middle = "&#10;" + middle[4:]
    return _entities(before) + middle + _entities(after)


def _entities(spaces: str) -> str:
    return "".join(f"&#{ord(sign)};" for sign in spaces)


def line_start(line: str) -> str:
    """Return a paragraph's line that would otherwise begin a block."""
    match = _LINE_START.match(line)
    if match is not None:
        place = match.end() if match.group("number") else 0
        return line[:place] + "\\" + line[place:]
    if begins_block(line) or _NOTE.match(line):
        return "<b></b>" + line  # says nothing, but keeps the line a paragraph
    return line


def destination(url: str) -> str:
    """Return a link's address inside the parentheses."""
    made = _ENTITY.sub("&amp;", url.replace("\n", "%0A").replace("\r", "%0D"))
    if re.fullmatch(r"[^\s<>()\\\x00-\x1f]+", made):
        return made
    return "<" + re.sub(r"[\\<>]", r"\\\g<0>", made) + ">"


def title(content: str) -> str:
    """Return a link's title between quotes."""
    made = _ENTITY.sub("&amp;", _BLOCK_TAG.sub(r"\\\g<0>", re.sub(r'[\\"]', r"\\\g<0>", content)))
    return '"' + made.replace("\n", "&#10;") + '"'


def code(content: str) -> str:
    """Return a code span, with as many backticks as it needs."""
    flat = content.replace("\n", " ")
    runs = {len(run) for run in re.findall(r"`+", flat)}
    fence = "`" * next(count for count in range(1, len(runs) + 2) if count not in runs)
    padded = "`" in (flat[:1], flat[-1:]) or (flat[:1] == flat[-1:] == " " and bool(flat.strip(" ")))
    space = " " if padded else ""
    return f"{fence}{space}{flat}{space}{fence}"
