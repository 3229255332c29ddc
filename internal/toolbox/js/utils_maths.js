(function () {
  "use strict";

  function number(name, what, value) {
    if (typeof value !== "number" || Number.isNaN(value)) {
      throw new TypeError(`utils.${name}: ${what} must be a number`);
    }
    return value;
  }

  function total(name, list) {
    if (!Array.isArray(list)) throw new TypeError(`utils.${name}: the first argument must be an array of numbers`);
    let sum = 0;
    for (let i = 0; i < list.length; i++) {
      if (typeof list[i] !== "number") {
        throw new TypeError(`utils.${name}: item ${i} is not a number; Number(text) makes one of a text`);
      }
      sum += list[i];
    }
    return sum;
  }

  // shift moves the decimal point without the error that multiplying makes.
  function shift(value, places) {
    const [digits, exponent = "0"] = String(value).split("e");
    return Number(`${digits}e${Number(exponent) + places}`);
  }

  return {
    clamp(value, min, max) {
      number("clamp", "value", value);
      if (number("clamp", "min", min) > number("clamp", "max", max)) {
        throw new TypeError("utils.clamp: min is larger than max");
      }
      return Math.min(Math.max(value, min), max);
    },

    // round rounds halves away from zero; digits below 0 are those before the point.
    round(value, digits = 0) {
      number("round", "value", value);
      if (!Number.isInteger(digits) || Math.abs(digits) > 100) {
        throw new TypeError("utils.round: digits must be a whole number from -100 to 100");
      }
      const moved = shift(Math.abs(value), digits);
      if (!Number.isFinite(moved)) return value;
      return Math.sign(value) * shift(Math.round(moved), -digits) || 0;
    },

    sum(list) {
      return total("sum", list);
    },

    // avg of no numbers is 0.
    avg(list) {
      const sum = total("avg", list);
      return list.length === 0 ? 0 : sum / list.length;
    },
  };
})
