(function () {
  "use strict";
  const { parse, stringify } = JSON;
  const maxItems = 1e6;
  const maxPaths = 1e5;
  const maxDepth = 1000;

  // unsafe names lead from an object to what all objects share.
  const unsafe = (name) => name === "__proto__" || name === "constructor" || name === "prototype";

  const isObject = (value) => value !== null && typeof value === "object";

  function isPlain(value) {
    if (!isObject(value) || Array.isArray(value)) return false;
    const proto = Object.getPrototypeOf(value);
    return proto === Object.prototype || proto === null;
  }

  // reviver leaves out what would change a prototype when it is copied.
  function reviver(name, value) {
    if (name === "__proto__") return undefined;
    if (name === "constructor" && isObject(value) && Object.hasOwn(value, "prototype")) return undefined;
    return value;
  }

  function tooDeep(level) {
    if (level > maxDepth) throw new TypeError(`utils.flatten: the value is nested deeper than ${maxDepth}, perhaps in itself`);
  }

  function tooMany(count, most) {
    if (count > most) throw new TypeError(`utils.flatten: there are more than ${most} values`);
  }

  // spread adds the items of list to flat; holes are no items.
  function spread(flat, list, depth, level) {
    tooDeep(level);
    tooMany(flat.length + list.length, maxItems);
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      if (level < depth && Array.isArray(item)) spread(flat, item, depth, level + 1);
      else if (i in list) flat.push(item);
    }
  }

  // unfold adds what an object or array holds to flat, under paths that begin with
  // prefix. What is empty is a value.
  function unfold(flat, holder, prefix, level) {
    tooDeep(level);
    for (const name of Object.keys(holder)) {
      if (unsafe(name)) continue;
      const value = holder[name];
      const inner = isPlain(value) || Array.isArray(value);
      if (inner && Object.keys(value).length > 0) unfold(flat, value, `${prefix}${name}.`, level + 1);
      else {
        tooMany(++flat.count, maxPaths);
        flat.values[prefix + name] = value;
      }
    }
  }

  return {
    parseJson(text) {
      if (typeof text !== "string") throw new TypeError("utils.parseJson: text must be a string");
      const guarded = text.includes("__proto__") || text.includes("constructor") || text.includes("\\u");
      try {
        return guarded ? parse(text, reviver) : parse(text);
      } catch (e) {
        throw new SyntaxError(`utils.parseJson: the text is not JSON: ${e.message}`);
      }
    },

    // toJson returns "null" for what JSON cannot say; pretty is true for two
    // spaces, or how many.
    toJson(value, pretty) {
      const text = stringify(value, null, pretty === true ? 2 : pretty);
      return text === undefined ? "null" : text;
    },

    // flatten makes one list of nested ones, to any depth or to the one given; of
    // an object it makes one whose names are paths, as getPath takes them.
    flatten(value, depth) {
      if (Array.isArray(value)) {
        if (depth === undefined) depth = Infinity;
        if (typeof depth !== "number" || !(depth >= 0)) throw new TypeError("utils.flatten: depth must be a number from 0");
        const flat = [];
        spread(flat, value, depth, 0);
        return flat;
      }
      if (!isPlain(value)) throw new TypeError("utils.flatten: the first argument must be an array or a plain object");
      const flat = { values: {}, count: 0 };
      unfold(flat, value, "", 0);
      return flat.values;
    },

    // getPath returns what stands at a path such as "a.b[0].c" or ["a", "b", 0],
    // or fallback. It sees own properties only.
    getPath(value, path, fallback) {
      if (typeof path === "number") path = String(path);
      if (typeof path !== "string" && !Array.isArray(path)) {
        throw new TypeError('utils.getPath: path must be a string such as "a.b[0]", or an array of names');
      }
      const names = Array.isArray(path) ? path : path.replace(/\[(\w+)\]/g, ".$1").split(".").filter((name) => name !== "");
      for (const name of names) {
        if (typeof name !== "string" && typeof name !== "number") {
          throw new TypeError("utils.getPath: the names of a path must be strings or numbers");
        }
        if (!isObject(value) || unsafe(name) || !Object.hasOwn(value, name)) return fallback;
        value = value[name];
      }
      return value === undefined ? fallback : value;
    },
  };
})
