package js

import (
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

var fsNames = []string{"readFile", "writeFile", "appendFile", "exists", "list", "remove"}

// fs works on the workspace. Its functions are synchronous, but a script may await
// them. Refusals and failures of the host are thrown.
func (r *realm) fs() goja.Value {
	return r.vm.NewDynamicObject(&lazy{names: fsNames, make: func(name string) goja.Value {
		if f := r.fileFunction(name); f != nil {
			return r.function(name, f)
		}
		return nil
	}})
}

func (r *realm) fileFunction(name string) func(goja.FunctionCall) goja.Value {
	switch name {
	case "readFile":
		return r.readFile
	case "writeFile":
		return func(call goja.FunctionCall) goja.Value { return r.putFile("write", name, call) }
	case "appendFile":
		return func(call goja.FunctionCall) goja.Value { return r.putFile("append", name, call) }
	case "exists":
		return func(call goja.FunctionCall) goja.Value {
			return r.vm.ToValue(r.askFile(FileRequest{Do: "exists", Path: r.path(name, call)}).Exists)
		}
	case "list":
		return r.listFiles
	case "remove":
		return func(call goja.FunctionCall) goja.Value {
			r.askFile(FileRequest{Do: "remove", Path: r.path(name, call)})
			return goja.Undefined()
		}
	}
	return nil
}

// path returns the first argument. Only a string is accepted: a file named "undefined"
// is never intended.
func (r *realm) path(function string, call goja.FunctionCall) string {
	s, ok := call.Argument(0).(goja.String)
	if !ok || s.Length() > maxPath {
		panic(r.vm.NewTypeError("fs.%s: the path must be a string of at most %d characters", function, maxPath))
	}
	return s.String()
}

func (r *realm) askFile(req FileRequest) FileResponse {
	var resp FileResponse
	data := req.Data
	req.Data = nil
	answer := r.ask(OpFile, req, data)
	if err := json.Unmarshal(answer.Value, &resp); err != nil {
		panic(r.vm.NewTypeError("the host's answer cannot be read"))
	}
	if answer.Body != nil {
		resp.Data = answer.Body
	}
	return resp
}

func (r *realm) readFile(call goja.FunctionCall) goja.Value {
	path, encoding := r.path("readFile", call), "utf8"
	if v := call.Argument(1); !goja.IsUndefined(v) {
		encoding = r.stringOf(v, "fs.readFile: the encoding")
	}
	if encoding != "utf8" && encoding != "utf-8" && encoding != "base64" {
		panic(r.vm.NewTypeError("fs.readFile: the encoding must be utf8 or base64"))
	}
	data := r.askFile(FileRequest{Do: "read", Path: path}).Data
	if encoding == "base64" {
		return r.vm.ToValue(base64.StdEncoding.EncodeToString(data))
	}
	if !utf8.Valid(data) {
		panic(r.failure(tool.Fail(tool.ValidationError, `fs.readFile: %s is not UTF-8 text; read it with fs.readFile(path, "base64")`, path)))
	}
	return r.vm.ToValue(string(data))
}

func (r *realm) putFile(do, function string, call goja.FunctionCall) goja.Value {
	req := FileRequest{Do: do, Path: r.path(function, call)}
	data := call.Argument(1)
	size := 0
	if s, ok := data.(goja.String); ok {
		if size = s.Length(); size <= MaxBody {
			req.Data = []byte(s.String())
		}
	} else if req.Data, ok = r.bytesOf(data); !ok {
		panic(r.vm.NewTypeError("fs.%s: the data must be a string, an ArrayBuffer or a typed array; give an object as JSON.stringify(object)",
			function))
	}
	if max(size, len(req.Data)) > MaxBody {
		panic(r.failure(tool.Fail(tool.FileTooLarge, "fs.%s: a script can write at most %d MB at a time", function, MaxBody>>20)))
	}
	r.askFile(req)
	return goja.Undefined()
}

func (r *realm) listFiles(call goja.FunctionCall) goja.Value {
	req := FileRequest{Do: "list", Path: "."}
	if !goja.IsUndefined(call.Argument(0)) {
		req.Path = r.path("list", call)
	}
	var names []any
	for _, name := range r.askFile(req).Entries {
		names = append(names, name)
	}
	return r.vm.NewArray(names...)
}
