package apitools

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

const styles = `
  /simple/{a}: {get: {operationId: simple, parameters: [{name: a, in: path, required: true, schema: {}}]}}
  /simplex/{a}: {get: {operationId: simplex, parameters: [{name: a, in: path, required: true, explode: true, schema: {}}]}}
  /label/{a}: {get: {operationId: label, parameters: [{name: a, in: path, required: true, style: label, schema: {}}]}}
  /labelx/{a}: {get: {operationId: labelx, parameters: [{name: a, in: path, required: true, style: label, explode: true, schema: {}}]}}
  /matrix/{a}: {get: {operationId: matrix, parameters: [{name: a, in: path, required: true, style: matrix, schema: {}}]}}
  /matrixx/{a}: {get: {operationId: matrixx, parameters: [{name: a, in: path, required: true, style: matrix, explode: true, schema: {}}]}}
  /q:
    get: {operationId: form, parameters: [{name: a, in: query, schema: {}}]}
    put: {operationId: formjoined, parameters: [{name: a, in: query, explode: false, schema: {}}]}
    post: {operationId: space, parameters: [{name: a, in: query, style: spaceDelimited, explode: false, schema: {}}]}
    patch: {operationId: pipe, parameters: [{name: a, in: query, style: pipeDelimited, explode: false, schema: {}}]}
    delete: {operationId: deep, parameters: [{name: a, in: query, style: deepObject, schema: {}}]}
    options: {operationId: reserved, parameters: [{name: a, in: query, allowReserved: true, schema: {}}]}
    head: {operationId: json, parameters: [{name: a, in: query, content: {application/json: {schema: {type: object}}}}]}
  /h: {get: {operationId: header, parameters: [{name: X-A, in: header, schema: {}}]}}
`

// TestStyles: each style of the specification, with the values of its examples.
func TestStyles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, styles, nil)
	for _, tt := range []struct{ id, value, want string }{
		{"simple", `"blue sky/é?"`, "/v1/simple/blue%20sky%2F%C3%A9%3F"},
		{"simple", `9007199254740993`, "/v1/simple/9007199254740993"},
		{"simple", `["blue","black"]`, "/v1/simple/blue,black"},
		{"simple", `{"R":100,"G":200}`, "/v1/simple/R,100,G,200"},
		{"simplex", `{"R":100,"G":200}`, "/v1/simplex/R=100,G=200"},
		{"label", `"blue"`, "/v1/label/.blue"},
		{"label", `["blue","black"]`, "/v1/label/.blue.black"},
		{"labelx", `{"R":100,"G":200}`, "/v1/labelx/.R=100.G=200"},
		{"matrix", `"blue"`, "/v1/matrix/;a=blue"},
		{"matrix", `["blue","black"]`, "/v1/matrix/;a=blue,black"},
		{"matrix", `{"R":100,"G":200}`, "/v1/matrix/;a=R,100,G,200"},
		{"matrixx", `["blue","black"]`, "/v1/matrixx/;a=blue;a=black"},
		{"matrixx", `{"R":100,"G":200}`, "/v1/matrixx/;R=100;G=200"},
		{"form", `"a b&c=é"`, "/v1/q?a=a+b%26c%3D%C3%A9"},
		{"form", `["blue","black"]`, "/v1/q?a=blue&a=black"},
		{"form", `{"R":100,"G":true}`, "/v1/q?R=100&G=true"},
		{"form", `""`, "/v1/q?a="},
		{"formjoined", `["blue","bl,ack"]`, "/v1/q?a=blue,bl%2Cack"},
		{"formjoined", `{"R":100}`, "/v1/q?a=R,100"},
		{"space", `["blue","black"]`, "/v1/q?a=blue%20black"},
		{"pipe", `["blue","black"]`, "/v1/q?a=blue|black"},
		{"deep", `{"R":100,"in":{"x":[1,2]}}`, "/v1/q?a%5BR%5D=100&a%5Bin%5D%5Bx%5D=1&a%5Bin%5D%5Bx%5D=2"},
		{"reserved", `"/a:b?c&d=e#f"`, "/v1/q?a=/a:b?c%26d%3De%23f"},
		{"json", `{"b":[1,"x"]}`, "/v1/q?a=%7B%22b%22%3A%5B1%2C%22x%22%5D%7D"},
	} {
		got := w.sent(tt.id, `{"a":`+tt.value+`}`)
		if at := strings.TrimSuffix(got.path+"?"+got.query, "?"); at != tt.want {
			t.Errorf("%s %s is sent to %s, want %s", tt.id, tt.value, at, tt.want)
		}
	}
	if got := w.sent("header", `{"X-A":["blue","black"]}`); got.header.Get("X-A") != "blue,black" {
		t.Errorf("the header is %q", got.header.Get("X-A"))
	}
	if got := w.sent("form", `{}`); got.query != "" {
		t.Errorf("without an argument the query is %q", got.query)
	}
}

// TestNoWayOut: no argument leads to another path, host or header.
func TestNoWayOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, styles, nil)
	for _, tt := range []struct{ id, args, part string }{
		{"simple", `{"a":".."}`, "leave its path"},
		{"simple", `{"a":"."}`, "leave its path"},
		{"simple", `{"a":"../../x"}`, "leave its path"},
		{"simple", `{"a":"x/./y"}`, "leave its path"},
		{"simple", `{"a":"..\\x"}`, "leave its path"},
		{"simple", `{"a":"%2e%2e/x"}`, "leave its path"},
		{"simple", `{"a":"%252e%252E%252fx"}`, "leave its path"},
		{"simple", `{"a":"..;x"}`, "leave its path"},
		{"simple", `{"a":""}`, "is empty"},
		{"simple", `{"a":[]}`, "is empty"},
		{"label", `{"a":"."}`, "leave its path"},
		{"header", `{"X-A":"a\r\nHost: evil"}`, "is a header"},
		{"form", `{"a":"` + strings.Repeat("x", 40<<10) + `"}`, "more than"},
	} {
		_, err := w.call(tt.id, tt.args)
		wantError(t, tt.id+" "+tt.args[:min(len(tt.args), 30)], err, tool.ValidationError, tt.part)
	}
	if n := w.count(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	for _, args := range []string{`{"a":"..x/x.."}`, `{"a":"100%"}`, `{"a":"@evil/"}`, `{"a":"x?y=1#z"}`} {
		if got := w.sent("simple", args); !strings.HasPrefix(got.path, "/v1/simple/") || strings.Count(got.path, "/") != 3 || got.query != "" {
			t.Errorf("%s is sent to %s?%s", args, got.path, got.query)
		}
	}
}

const bodies = `
  /items/{id}:
    put:
      operationId: clash
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}, {name: id, in: query, schema: {type: string}}, {name: "f[x]", in: query, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}, size: {type: number}}}}}}
    post: {operationId: optional, requestBody: {content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}, body: {type: string}}}}}}}
  /open: {post: {operationId: open, requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: integer}}, additionalProperties: {type: string}}}}}}}
  /list: {post: {operationId: list, requestBody: {required: true, content: {application/json: {schema: {type: array, items: {type: integer}}}}}}}
  /either: {post: {operationId: either, requestBody: {content: {application/json: {schema: {oneOf: [{type: object, required: [k, a], properties: {k: {}, a: {type: string}}}, {type: object, required: [k], properties: {k: {}, b: {}}}]}}}}}}
  /form: {post: {operationId: form, requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}, l: {type: array}, o: {type: object}, d: {type: object}}}, encoding: {d: {style: deepObject}}}}}}}
  /upload: {post: {operationId: upload, requestBody: {required: true, content: {multipart/form-data: {schema: {type: object, required: [file], properties: {file: {type: string, format: binary}, more: {type: array, items: {type: string, format: binary}}, note: {type: string}, meta: {type: object}}}}}}}}
  /raw: {put: {operationId: raw, requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}}}
  /text: {put: {operationId: text, requestBody: {content: {text/plain: {schema: {type: string}}}}}}
`

// TestBodies: fields of a body are arguments of their own where their names are free, and
// each stays reachable.
func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bodies, nil)
	properties, required := w.parameters("clash")
	if required != "[body id name]" || properties["query_id"] == nil || properties["size"] == nil || properties["f_x"] == nil ||
		properties["body"]["properties"].(map[string]any)["id"] == nil {
		t.Errorf("the parameters are %v, required %s", properties, required)
	}
	for _, tt := range []struct{ id, args, path, media, body string }{
		{
			"clash", `{"id":7,"query_id":"q","name":"n","size":1.50,"body":{"id":"b"},"f_x":"y"}`, "/v1/items/7?id=q&f%5Bx%5D=y", "application/json",
			`{"name":"n","size":1.50,"id":"b"}`,
		},
		{"optional", `{"id":"a"}`, "/v1/items/a?", "", ``},
		{"optional", `{"id":"a","body":"text"}`, "/v1/items/a?", "application/json", `{"body":"text"}`},
		{"open", `{"a":1,"body":{"b":"c"}}`, "/v1/open?", "application/json", `{"a":1,"b":"c"}`},
		{"open", `{"a":1,"body":{"a":"c"}}`, "/v1/open?", "application/json", `{"a":1}`},
		{"list", `{"body":[1,2]}`, "/v1/list?", "application/json", `[1,2]`},
		{"either", `{"k":1,"b":null}`, "/v1/either?", "application/json", `{"b":null,"k":1}`},
		{
			"form", `{"a":"x y","l":[1,2],"o":{"p":1},"d":{"q":1}}`, "/v1/form?", "application/x-www-form-urlencoded",
			`a=x+y&d%5Bq%5D=1&l=1&l=2&o=%7B%22p%22%3A1%7D`,
		},
		{"text", `{"body":"plain"}`, "/v1/text?", "text/plain", `plain`},
	} {
		got := w.sent(tt.id, tt.args)
		if at := got.path + "?" + got.query; at != tt.path || got.header.Get("Content-Type") != tt.media || got.body != tt.body {
			t.Errorf("%s %s: %s %q %s, want %s %q %s", tt.id, tt.args, at, got.header.Get("Content-Type"), got.body, tt.path, tt.media, tt.body)
		}
	}
}

// TestAlias: an argument may have the name that the API has, too.
func TestAlias(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bodies, nil)
	if aliases := w.offers["clash"].plan.aliases; aliases["f[x]"] != "f_x" || aliases["id"] != "" {
		t.Errorf("the aliases are %v", aliases)
	}
}

// TestFiles: files of the workspace are sent by their paths.
func TestFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bodies, nil)
	w.files["in/a.png"], w.files["b.txt"] = "PNG", "b"
	got := w.sent("upload", `{"file":"in/a.png","more":["b.txt","in/a.png"],"note":"n","meta":{"x":1}}`)
	for _, part := range []string{
		`name="file"; filename="a.png"` + "\r\nContent-Type: image/png\r\n\r\nPNG\r\n", `name="more"; filename="b.txt"`,
		`name="more"; filename="a.png"`,
		`name="note"` + "\r\n\r\nn\r\n", `name="meta"` + "\r\nContent-Type: application/json\r\n\r\n" + `{"x":1}`,
	} {
		if !strings.Contains(got.body, part) {
			t.Errorf("the form does not have %q:\n%s", part, got.body)
		}
	}
	if got := w.sent("raw", `{"body":"in/a.png"}`); got.body != "PNG" || got.header.Get("Content-Type") != "application/octet-stream" ||
		got.header.Get("Content-Length") != "3" {
		t.Errorf("the file is sent as %v", got)
	}
	_, err := w.call("raw", `{"body":"none"}`)
	wantError(t, "a missing file", err, tool.FileNotFound, "none")
	_, err = w.call("upload", `{"file":"../x"}`)
	wantError(t, "a path outside", err, tool.PathNotAllowed)
	if paths := w.offers["raw"].def.Scopes.Paths; len(paths) != 1 || len(w.offers["text"].def.Scopes.Paths) != 0 {
		t.Errorf("the scopes are %v and %v", paths, w.offers["text"].def.Scopes.Paths)
	}
}
