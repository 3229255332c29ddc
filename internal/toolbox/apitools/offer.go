package apitools

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/tool"
)

// offer is an operation in the form in which it would be offered.
type offer struct {
	api  *API
	op   *apidoc.Operation
	plan *plan
	// base is the address that the operation's path is appended to, home that of the API,
	// to which alone credentials are sent.
	base, home *url.URL
	// alternatives are the ways in which a request can be authorized.
	alternatives [][]credential
	def          tool.Definition
	shown        json.RawMessage
	hash         string
}

const (
	category       = "OpenAPI"
	maxDescription = 2 << 10
	maxTag         = 100
	timeout        = 30 // seconds
)

// resultSchema describes the result of every operation.
var resultSchema = json.RawMessage(`{"type":"object","properties":{"status":{"type":"integer","description":"HTTP status."},"headers":{"type":"object","description":"Headers worth knowing.","additionalProperties":{"type":"string"}},"body":{"description":"The answer: a JSON value, or text."},"file":{"type":"string","description":"The workspace file that holds an answer which is not text."}},"required":["status"]}`)

var errNoServer = errors.New("the document names no server with an absolute address, and the item has no base_url; set base_url")

// home returns the base URL of an API.
func (a *API) home(doc *apidoc.Document) (*url.URL, error) {
	address := strings.TrimRight(cmp.Or(a.BaseURL, doc.Server), "/")
	if address == "" {
		return nil, errNoServer
	}
	return url.Parse(address)
}

// offer makes a tool of an operation.
func (a *API) offer(doc *apidoc.Document, op *apidoc.Operation, home *url.URL, name, pool string) (*offer, error) {
	o := &offer{api: a, op: op, base: home, home: home, alternatives: a.alternatives(doc, op)}
	server := doc.Server
	if a.BaseURL != "" {
		server = ""
	} else if op.Server != "" {
		var err error
		if o.base, err = url.Parse(op.Server); err != nil {
			return nil, err
		}
		server = op.Server
	}
	var err error
	if o.plan, err = a.plan(doc, op); err != nil {
		return nil, err
	}
	if err := callable(op); err != nil {
		return nil, err
	}
	if err := authorizable(doc, op); err != nil {
		return nil, err
	}
	o.def = tool.Definition{
		Name: name, Description: o.description(), Category: category, Group: a.Group(), Version: "1", Tags: o.tags(),
		Parameters: o.plan.schema, ResultSchema: resultSchema,
		Risk: cmp.Or(a.Risk[op.ID], tool.Medium), Confirmation: tool.ConfirmIfDestructive,
		Mutates: !reads(op.Method), Destructive: op.Method == http.MethodDelete, OpenWorld: true,
		Idempotent:          reads(op.Method) || op.Method == http.MethodPut || op.Method == http.MethodDelete,
		Scopes:              tool.Scopes{Paths: []string{}, Hosts: []string{o.base.Host}, Apps: []string{}},
		RequiredPermissions: []string{}, TimeoutSeconds: timeout, Pool: pool, Kind: tool.KindOpenAPI, Enabled: true,
		Errors: []tool.Kind{tool.ExecutionError, tool.NetworkError, tool.NotConfigured},
	}
	if o.files() {
		o.def.Scopes.Paths = []string{"workspace"}
		o.def.Errors = append(o.def.Errors, tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge)
	}
	if o.shown, err = o.definition(doc, server); err != nil {
		return nil, err
	}
	o.forget()
	sum := sha256.Sum256(o.shown)
	o.hash = "sha256:" + hex.EncodeToString(sum[:])
	return o, nil
}

// callable returns why no request for an operation can be made.
func callable(op *apidoc.Operation) error {
	path := op.Path
	for _, p := range op.Parameters {
		if p.In == apidoc.InPath {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", "x")
		}
	}
	if u, err := url.Parse("http://h" + path); err != nil || u.Fragment != "" {
		return fmt.Errorf("its path %.200q is none of a URL", op.Path)
	}
	if op.Body != nil && !httpguts.ValidHeaderFieldValue(op.Body.MediaType) {
		return fmt.Errorf("the media type %.200q is not valid", op.Body.MediaType)
	}
	return nil
}

// authorizable returns why no request for an operation can be authorized: each of its
// alternatives needs a scheme that is not supported, such as a certificate of the client.
func authorizable(doc *apidoc.Document, op *apidoc.Operation) error {
	var missing []string
	for _, names := range op.Security {
		i := slices.IndexFunc(names, func(name string) bool { return doc.Schemes[name].Type == "" })
		if i < 0 {
			return nil
		}
		missing = append(missing, names[i])
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("it needs the security scheme %.200q, which is not supported", strings.Join(missing, ", "))
}

// forget removes what is needed only to make the offer.
func (o *offer) forget() {
	o.op.Summary, o.op.Description, o.op.Tags = "", "", nil
	for _, p := range o.op.Parameters {
		p.Schema, p.Description = nil, ""
	}
	if o.op.Body != nil {
		o.op.Body.Schema, o.op.Body.Description = nil, ""
	}
}

// reads reports whether requests of a method change nothing.
func reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// files reports whether a call reads or writes files of the workspace.
func (o *offer) files() bool {
	if o.op.Binary {
		return true
	}
	if o.op.Body == nil {
		return false
	}
	for _, is := range o.op.Body.Files {
		if is {
			return true
		}
	}
	return o.plan.whole != "" && !isFielded(o.op.Body.MediaType) && !apidoc.IsText(o.op.Body.MediaType)
}

// description returns the text for models.
func (o *offer) description() string {
	op := o.op
	text := strings.TrimSpace(op.Summary)
	if more := strings.TrimSpace(op.Description); more != "" && !strings.HasPrefix(more, text) {
		text = strings.TrimSpace(text + "\n" + more)
	} else if more != "" {
		text = more
	}
	if op.Deprecated {
		text = "Deprecated. " + text
	}
	end := fmt.Sprintf("(%s %s of the API %s)", op.Method, op.Path, o.api.Name)
	return strings.TrimSpace(foreign.Text(text, maxDescription) + "\n" + foreign.Text(end, maxDescription/2))
}

// tags returns words for search.
func (o *offer) tags() []string {
	tags := []string{"api", o.api.Name}
	for _, tag := range o.op.Tags {
		if tag = foreign.Text(tag, maxTag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// pinned returns an offer in the form for comparison with its approval.
func (o *offer) pinned() approvals.Offer {
	return approvals.Offer{Tool: o.def.Name, Server: o.api.Name, Upstream: o.op.ID, Definition: o.shown, Hash: o.hash}
}

// needs returns the ports of a call.
func (o *offer) needs() tool.Needs {
	needs := tool.NeedHTTP | tool.NeedSecrets
	if o.files() {
		needs |= tool.NeedFiles
	}
	return needs
}
