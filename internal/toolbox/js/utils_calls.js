(function (native) {
  "use strict";
  const { stringify } = JSON;
  return {
    // What is wrong with the arguments rejects the promise too.
    async callTool(name, args) {
      if (typeof name !== "string" || name === "") {
        throw new TypeError("utils.callTool: name must be the name of a tool");
      }
      const text = stringify(args === undefined || args === null ? {} : args);
      if (typeof text !== "string" || text[0] !== "{") {
        throw new TypeError("utils.callTool: args must be an object");
      }
      return native.send(name, text);
    },
  };
})
