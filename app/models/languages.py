"""Languages of content."""

from __future__ import annotations

from typing import Literal

from app.models.base import Enumeration

Language = Literal[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl",
    "pl", "tr", "sv", "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk",
    "bg", "hr", "lt", "lv", "et", "sl",
]  # fmt: skip

ENUMERATIONS = (
    Enumeration(
        "Language",
        Language,
        {
            "en": "English.",
            "fr": "French.",
            "de": "German.",
            "es": "Spanish.",
            "it": "Italian.",
            "pt": "Portuguese.",
            "pt-br": "Brazilian Portuguese.",
            "ru": "Russian.",
            "ja": "Japanese.",
            "zh": "Chinese.",
            "zh-tw": "Traditional Chinese, as in Taiwan.",
            "yue": "Cantonese.",
            "ko": "Korean.",
            "ar": "Arabic.",
            "hi": "Hindi.",
            "nl": "Dutch.",
            "pl": "Polish.",
            "tr": "Turkish.",
            "sv": "Swedish.",
            "no": "Norwegian.",
            "da": "Danish.",
            "fi": "Finnish.",
            "el": "Greek.",
            "cs": "Czech.",
            "hu": "Hungarian.",
            "ro": "Romanian.",
            "th": "Thai.",
            "vi": "Vietnamese.",
            "id": "Indonesian.",
            "ms": "Malay.",
            "he": "Hebrew.",
            "uk": "Ukrainian.",
            "sk": "Slovak.",
            "bg": "Bulgarian.",
            "hr": "Croatian.",
            "lt": "Lithuanian.",
            "lv": "Latvian.",
            "et": "Estonian.",
            "sl": "Slovenian.",
        },
    ),
)
