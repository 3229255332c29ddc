(function () {
  "use strict";
  const lengths = { millisecond: 1, second: 1e3, minute: 6e4, hour: 36e5, day: 864e5, week: 6048e5 };
  const months = { month: 1, quarter: 3, year: 12 };

  // patterns are how short dates are written.
  const patterns = {
    "cs-CZ": "D. M. YYYY", "da-DK": "D.M.YYYY", "de-AT": "D.M.YYYY", "de-CH": "D.M.YYYY", "de-DE": "D.M.YYYY",
    "en-AU": "DD/MM/YYYY", "en-CA": "YYYY-MM-DD", "en-GB": "DD/MM/YYYY", "en-IN": "D/M/YYYY", "en-US": "M/D/YYYY",
    "es-ES": "D/M/YYYY", "fi-FI": "D.M.YYYY", "fr-FR": "DD/MM/YYYY", "it-IT": "DD/MM/YYYY", "ja-JP": "YYYY/M/D",
    "ko-KR": "YYYY. M. D.", "nb-NO": "D.M.YYYY", "nl-NL": "D-M-YYYY", "pl-PL": "D.MM.YYYY", "pt-BR": "DD/MM/YYYY",
    "ru-RU": "DD.MM.YYYY", "sv-SE": "YYYY-MM-DD", "tr-TR": "DD.MM.YYYY", "uk-UA": "DD.MM.YYYY", "zh-CN": "YYYY/M/D",
  };
  const defaults = {
    cs: "cs-CZ", da: "da-DK", de: "de-DE", en: "en-US", es: "es-ES", fi: "fi-FI", fr: "fr-FR", it: "it-IT", ja: "ja-JP",
    ko: "ko-KR", nb: "nb-NO", nl: "nl-NL", pl: "pl-PL", pt: "pt-BR", ru: "ru-RU", sv: "sv-SE", tr: "tr-TR", uk: "uk-UA", zh: "zh-CN",
  };

  // instant reads a Date, what Date.parse takes, or milliseconds since 1970.
  function instant(name, what, value) {
    let ms = NaN;
    if (value instanceof Date) ms = value.getTime();
    else if (typeof value === "number") ms = value;
    else if (typeof value === "string") ms = Date.parse(value.trim());
    const date = new Date(ms);
    if (Number.isNaN(date.getTime())) {
      throw new TypeError(`utils.${name}: ${what} must be a date, such as "2026-01-31" or "2026-01-31T12:00:00Z"`);
    }
    return date;
  }

  // unitOf takes days and day; it returns how many months or milliseconds one has.
  function unitOf(name, unit) {
    if (unit === undefined || unit === null) unit = "days";
    const one = typeof unit === "string" ? unit.toLowerCase().replace(/s$/, "") : "";
    if (Object.hasOwn(months, one)) return { months: months[one] };
    if (Object.hasOwn(lengths, one)) return { ms: lengths[one] };
    throw new TypeError(`utils.${name}: unit must be milliseconds, seconds, minutes, hours, days, weeks, months, quarters or years`);
  }

  // addMonths stays in the month it comes to: a month after 31 January is the last
  // of February.
  function addMonths(date, count) {
    const added = new Date(date.getTime());
    added.setUTCDate(1);
    added.setUTCMonth(added.getUTCMonth() + count);
    const last = new Date(added.getTime());
    last.setUTCMonth(last.getUTCMonth() + 1, 0);
    added.setUTCDate(Math.min(date.getUTCDate(), last.getUTCDate()));
    return added;
  }

  function monthsBetween(from, to) {
    const count = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
    const reached = addMonths(from, count);
    if (count > 0 && reached > to) return count - 1;
    if (count < 0 && reached < to) return count + 1;
    return count;
  }

  // patternOf takes the language's usual pattern where the country is not known.
  function patternOf(locale) {
    const language = locale.split("-")[0].toLowerCase();
    if (Object.hasOwn(patterns, locale)) return patterns[locale];
    return Object.hasOwn(defaults, language) ? patterns[defaults[language]] : undefined;
  }

  return {
    now() {
      return new Date().toISOString();
    },

    timestamp() {
      return Date.now();
    },

    // dateDiff returns how many whole units d2 is after d1, below zero if it is
    // before.
    dateDiff(d1, d2, unit) {
      const { ms, months } = unitOf("dateDiff", unit);
      const from = instant("dateDiff", "d1", d1);
      const to = instant("dateDiff", "d2", d2);
      return Math.trunc(months ? monthsBetween(from, to) / months : (to - from) / ms) || 0;
    },

    // dateAdd counts in UTC, where every day has 24 hours.
    dateAdd(date, amount, unit) {
      const { ms, months } = unitOf("dateAdd", unit);
      const from = instant("dateAdd", "date", date);
      if (typeof amount !== "number" || !Number.isFinite(amount) || (months && !Number.isInteger(amount))) {
        throw new TypeError("utils.dateAdd: amount must be a number, and a whole one for months and years");
      }
      const to = months ? addMonths(from, amount * months) : new Date(from.getTime() + amount * ms);
      if (Number.isNaN(to.getTime())) throw new TypeError("utils.dateAdd: the result is further away than dates reach");
      return to.toISOString();
    },

    // formatDate writes the day in UTC as YYYY-MM-DD, or as a locale writes it. One
    // that is not known gets YYYY-MM-DD.
    formatDate(date, locale) {
      const day = instant("formatDate", "date", date).toISOString().split("T")[0];
      if (locale === undefined || locale === null) return day;
      if (typeof locale !== "string") throw new TypeError('utils.formatDate: locale must be a string such as "en-US"');
      const pattern = patternOf(locale.replace("_", "-"));
      if (pattern === undefined) return day;
      const parts = /^(.+)-(\d\d)-(\d\d)$/.exec(day);
      return pattern
        .replace("YYYY", parts[1]).replace("MM", parts[2]).replace("DD", parts[3])
        .replace("M", Number(parts[2])).replace("D", Number(parts[3]));
    },
  };
})
