"""Names of months and days by language: a language in, the spellings that files may have out, with their numbers.

The lists are ours and do not follow any library, so that a contract reads the same texts on every version of Java and
Python. `/` separates spellings of one name; a point at the end may be left out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import cache

# ruff: noqa: RUF001 (letters of Greek, Russian and Turkish)

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar/Jänner Februar/Feber März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "nb": "januar februar mars april mai juni juli august september oktober november desember",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "pl": "stycznia/styczeń lutego/luty marca/marzec kwietnia/kwiecień maja/maj czerwca/czerwiec lipca/lipiec"
    " sierpnia/sierpień września/wrzesień października/październik listopada/listopad grudnia/grudzień",
    "cs": "ledna/leden února/únor března/březen dubna/duben května/květen června/červen července/červenec srpna/srpen"
    " září října/říjen listopadu/listopad prosince/prosinec",
    "sk": "januára/január februára/február marca/marec apríla/apríl mája/máj júna/jún júla/júl augusta/august"
    " septembra/september októbra/október novembra/november decembra/december",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "fi": "tammikuuta/tammikuu helmikuuta/helmikuu maaliskuuta/maaliskuu huhtikuuta/huhtikuu toukokuuta/toukokuu"
    " kesäkuuta/kesäkuu heinäkuuta/heinäkuu elokuuta/elokuu syyskuuta/syyskuu lokakuuta/lokakuu marraskuuta/marraskuu"
    " joulukuuta/joulukuu",
    "el": "Ιανουαρίου/Ιανουάριος Φεβρουαρίου/Φεβρουάριος Μαρτίου/Μάρτιος Απριλίου/Απρίλιος Μαΐου/Μάιος Ιουνίου/Ιούνιος"
    " Ιουλίου/Ιούλιος Αυγούστου/Αύγουστος Σεπτεμβρίου/Σεπτέμβριος Οκτωβρίου/Οκτώβριος Νοεμβρίου/Νοέμβριος"
    " Δεκεμβρίου/Δεκέμβριος",
    "ru": "января/январь февраля/февраль марта/март апреля/апрель мая/май июня/июнь июля/июль августа/август"
    " сентября/сентябрь октября/октябрь ноября/ноябрь декабря/декабрь",
}
"""Full names (`MMMM`); of languages that write dates in another case also the nominative."""
SHORT_MONTHS = {
    "en": "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep./Sept. Oct. Nov. Dec.",
    "de": "Jan./Jän. Feb. Mär./Mrz./März Apr. Mai Jun./Juni Jul./Juli Aug. Sep./Sept. Okt. Nov. Dez.",
    "fr": "janv. févr./fév. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "es": "ene. feb. mar. abr. may. jun. jul. ago. sep./sept. oct. nov. dic.",
    "it": "gen. feb. mar. apr. mag. giu. lug. ago. set. ott. nov. dic.",
    "pt": "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
    "nl": "jan. feb. mrt. apr. mei jun. jul. aug. sep./sept. okt. nov. dec.",
    "da": "jan. feb. mar. apr. maj jun. jul. aug. sep./sept. okt. nov. dec.",
    "nb": "jan. feb. mar./mars apr. mai jun./juni jul./juli aug. sep./sept. okt. nov. des.",
    "sv": "jan. feb. mar./mars apr. maj jun./juni jul./juli aug. sep./sept. okt. nov. dec.",
    "pl": "sty. lut. mar. kwi. maj cze. lip. sie. wrz. paź. lis. gru.",
    "cs": "led. úno. bře. dub. kvě. čvn./čer. čvc. srp. zář. říj. lis. pro.",
    "sk": "jan. feb. mar. apr. máj jún. júl. aug. sep./sept. okt. nov. dec.",
    "hu": "jan. febr./feb. márc./már. ápr. máj. jún. júl. aug. szept./szep. okt. nov. dec.",
    "ro": "ian. feb. mar. apr. mai iun. iul. aug. sept./sep. oct. nov. dec.",
    "tr": "Oca. Şub. Mar. Nis. May. Haz. Tem. Ağu. Eyl. Eki. Kas. Ara.",
    "fi": "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",
    "el": "Ιαν. Φεβ. Μαρ. Απρ. Μαΐ./Μάι. Ιουν. Ιουλ. Αυγ. Σεπ./Σεπτ. Οκτ. Νοε. Δεκ.",
    "ru": "янв. февр./фев. мар./марта апр. мая/май июн./июня июл./июля авг. сент./сен. окт. нояб./ноя. дек.",
}
"""Short names (`MMM`)."""
DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag/Sonnabend Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "pt": "segunda-feira/segunda terça-feira/terça quarta-feira/quarta quinta-feira/quinta sexta-feira/sexta sábado"
    " domingo",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "da": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "nb": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
    "pl": "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "cs": "pondělí úterý středa čtvrtek pátek sobota neděle",
    "sk": "pondelok utorok streda štvrtok piatok sobota nedeľa",
    "hu": "hétfő kedd szerda csütörtök péntek szombat vasárnap",
    "ro": "luni marți/marţi miercuri joi vineri sâmbătă duminică",
    "tr": "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
    "fi": "maanantai/maanantaina tiistai/tiistaina keskiviikko/keskiviikkona torstai/torstaina perjantai/perjantaina"
    " lauantai/lauantaina sunnuntai/sunnuntaina",
    "el": "Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο Κυριακή",
    "ru": "понедельник вторник среда четверг пятница суббота воскресенье",
}
"""Full names (`EEEE`)."""
SHORT_DAYS = {
    "en": "Mon. Tue./Tues. Wed. Thu./Thur./Thurs. Fri. Sat. Sun.",
    "de": "Mo. Di. Mi. Do. Fr. Sa. So.",
    "fr": "lun. mar. mer. jeu. ven. sam. dim.",
    "es": "lun. mar. mié. jue. vie. sáb. dom.",
    "it": "lun. mar. mer. gio. ven. sab. dom.",
    "pt": "seg. ter. qua. qui. sex. sáb. dom.",
    "nl": "ma. di. wo. do. vr. za. zo.",
    "da": "man. tir./tirs. ons. tor./tors. fre. lør. søn.",
    "nb": "man. tir. ons. tor. fre. lør. søn.",
    "sv": "mån. tis./tisd. ons./onsd. tor./tors. fre. lör. sön.",
    "pl": "pon./pn. wt. śr. czw. pt. sob. niedz./nd.",
    "cs": "po. út. st. čt. pá. so. ne.",
    "sk": "po. ut. st. št. pi. so. ne.",
    "hu": "h. k. sze. cs. p. szo. v.",
    "ro": "lun. mar. mie. joi vin. sâm. dum.",
    "tr": "Pzt. Sal. Çar. Per. Cum. Cmt. Paz.",
    "fi": "ma. ti. ke. to. pe. la. su.",
    "el": "Δευ. Τρί./Τρι. Τετ. Πέμ./Πεμ. Παρ. Σάβ./Σαβ. Κυρ.",
    "ru": "пн. вт. ср. чт. пт. сб. вс.",
}
"""Short names (`EEE`)."""
IN_WORDS = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "da": "Danish", "nb": "Norwegian", "sv": "Swedish", "pl": "Polish", "cs": "Czech",
    "sk": "Slovak", "hu": "Hungarian", "ro": "Romanian", "tr": "Turkish", "fi": "Finnish", "el": "Greek",
    "ru": "Russian",
}  # fmt: skip
"""The languages, for people."""
ENGLISH = "en"
LISTS = {"MMM": SHORT_MONTHS, "MMMM": MONTHS, "EEE": SHORT_DAYS, "EEEE": DAYS}
"""The lists, by the letters of a pattern (java.time)."""
LANGUAGES = tuple(MONTHS)


@cache
def spellings(letters: str, language: str) -> dict[str, int]:
    """Return the texts of the names that letters of a pattern stand for, and their numbers from 1; Monday is 1.

    Each name is written as listed, in small letters, in capitals, or with a capital first letter; in Turkish also with
    its own capital of `i`, in Greek also with capitals without accents.
    """
    texts: dict[str, int] = {}
    for number, names in enumerate(LISTS[letters][language].split(), start=1):
        for name in names.split("/"):
            for text in dict.fromkeys((name.removesuffix("."), name)):
                capitals = (text.upper(), CAPITALS.get(language, str.upper)(text))
                texts |= dict.fromkeys((text, text.lower(), *capitals, text.capitalize()), number)
    return texts


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text.upper()) if not unicodedata.combining(c))


CAPITALS: Mapping[str, Callable[[str], str]] = {
    "tr": lambda text: text.replace("i", "İ").upper(),
    "el": _without_accents,
}
"""The capitals that people write in languages where they differ from those of Unicode's table."""
