(function (native) {
  "use strict";
  const maxItems = 1e6;

  function array(name, list) {
    if (!Array.isArray(list)) throw new TypeError(`utils.${name}: the first argument must be an array`);
    if (list.length > maxItems) throw new TypeError(`utils.${name}: the array has ${list.length} items, at most ${maxItems} are allowed`);
    return list;
  }

  // selector makes a function of what the author gave: a function, the name of a
  // property, or nothing for the item itself.
  function selector(name, by) {
    if (typeof by === "function") return by;
    if (by === undefined || by === null) return (item) => item;
    if (typeof by !== "string" && typeof by !== "number") {
      throw new TypeError(`utils.${name}: the second argument must be a function or the name of a property`);
    }
    return (item) => (item !== null && typeof item === "object" && Object.hasOwn(item, by) ? item[by] : undefined);
  }

  // shuffled returns n of the items, drawn without putting back.
  function shuffled(list, n) {
    const items = Array.from(list);
    for (let i = 0; i < n && i < items.length - 1; i++) {
      const j = i + native.random(items.length - i);
      const item = items[i];
      items[i] = items[j];
      items[j] = item;
    }
    items.length = n;
    return items;
  }

  return {
    // unique keeps the first of equal items, or of those with an equal property.
    unique(list, by) {
      const key = selector("unique", by);
      const seen = new Set();
      const kept = [];
      for (const item of array("unique", list)) {
        const k = key(item);
        if (!seen.has(k)) {
          seen.add(k);
          kept.push(item);
        }
      }
      return kept;
    },

    chunk(list, size) {
      array("chunk", list);
      if (!Number.isInteger(size) || size < 1) {
        throw new TypeError("utils.chunk: size must be a whole number from 1");
      }
      const chunks = [];
      for (let i = 0; i < list.length; i += size) chunks.push(list.slice(i, i + size));
      return chunks;
    },

    // shuffle leaves the list alone and returns another.
    shuffle(list) {
      return shuffled(array("shuffle", list), list.length);
    },

    // sample returns one item, or a list of count different ones.
    sample(list, count) {
      array("sample", list);
      if (count === undefined) return list.length === 0 ? undefined : list[native.random(list.length)];
      if (!Number.isInteger(count) || count < 0) {
        throw new TypeError("utils.sample: count must be a whole number from 0");
      }
      return shuffled(list, Math.min(count, list.length));
    },

    // groupBy returns an object without a prototype, so that any key is a key.
    groupBy(list, by) {
      array("groupBy", list);
      if (by === undefined || by === null) {
        throw new TypeError("utils.groupBy: the second argument must be a function or the name of a property");
      }
      const key = selector("groupBy", by);
      const groups = Object.create(null);
      for (const item of list) {
        const k = key(item);
        if (k !== null && (typeof k === "object" || typeof k === "function" || typeof k === "symbol")) {
          throw new TypeError("utils.groupBy: a key must be a string, a number or another simple value");
        }
        if (groups[k] === undefined) groups[k] = [];
        groups[k].push(item);
      }
      return groups;
    },
  };
})
