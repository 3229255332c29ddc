package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/tool"
)

// maxResource is the maximum size of a file that resources/read returns, in bytes. Larger
// files are transferred over HTTP.
const maxResource = 8 << 20

// readTool is the tool that an agent must have for its client to read files: otherwise
// resources/read would be a way around the set of an agent.
const readTool = "read_file"

// reader refuses a caller who may not read files. Everybody reads the files of the person
// that the calls are made for, and no others.
func (s *Server) reader(ctx context.Context, by Caller) error {
	if by.By.User != "" && by.User != "" && by.By.User != by.User {
		return invalid("only a person's own files are resources; leave out Helve-User")
	}
	if by.agent() == "" {
		return nil
	}
	defs, err := s.platform.Tools(ctx, by)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(defs, func(def *tool.Definition) bool { return def.Name == readTool }) {
		return invalid("the agent %q may not read files: it does not have the tool %s", by.agent(), readTool)
	}
	return nil
}

// listFiles answers resources/list with the files of the caller's workspace.
func (s *Server) listFiles(ctx context.Context, req *sdk.ListResourcesRequest) (sdk.Result, error) {
	by := callerOf(ctx)
	after := ""
	if req.Params != nil && req.Params.Cursor != "" {
		text, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		if err != nil {
			return nil, invalid("the cursor is not one of this server; ask for the list without it")
		}
		after = string(text)
	}
	res := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	res.TTLMs, res.CacheScope = listTTL, "private"
	if err := s.reader(ctx, by); err != nil {
		return res, nil //nolint:nilerr // for a caller without files the list is empty
	}
	files, next, err := s.platform.Files(ctx, by, after)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		res.Resources = append(res.Resources, &sdk.Resource{
			URI: uriOf(f.Path), Name: path.Base(f.Path), MIMEType: mime.TypeByExtension(path.Ext(f.Path)), Size: f.Size,
			Annotations: &sdk.Annotations{LastModified: f.Modified.UTC().Format("2006-01-02T15:04:05Z")},
		})
	}
	if next != "" {
		res.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(next))
	}
	return res, nil
}

// readFile answers resources/read with a file of the caller's workspace: as text, if it is
// one, otherwise as data.
func (s *Server) readFile(ctx context.Context, req *sdk.ReadResourceRequest) (sdk.Result, error) {
	by := callerOf(ctx)
	if req.Params == nil || req.Params.URI == "" {
		return nil, invalid("uri is missing")
	}
	name, ok := pathOf(req.Params.URI)
	if !ok {
		return nil, noResource(req.ProtocolVersion(), req.Params.URI, "its URI is not one of this server: "+fileScheme+"PATH")
	}
	if err := s.reader(ctx, by); err != nil {
		return nil, err
	}
	var data bounded
	if err := s.platform.File(ctx, by, name, &data); err != nil {
		if errors.Is(err, errLarge) || errors.Is(data.err, errLarge) {
			return nil, invalid("%q has more than %d bytes, the most that is returned here; get it with GET /v1/files/%s",
				name, maxResource, (&url.URL{Path: name}).EscapedPath())
		}
		return nil, noResource(req.ProtocolVersion(), req.Params.URI, err.Error())
	}
	contents := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: mime.TypeByExtension(path.Ext(name))}
	if text := data.data; len(text) > 0 && utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		contents.Text = string(text)
	} else {
		contents.Blob = append([]byte{}, data.data...) // not nil: the protocol requires one of the two
	}
	res := &fileRead{CacheScope: "private", Contents: []*sdk.ResourceContents{contents}}
	if req.ProtocolVersion() >= Versions()[0] {
		res.ResultType = "complete"
	}
	return res, nil
}

// fileRead answers resources/read. Only its own handler completes the SDK's type.
type fileRead struct {
	sdk.ResultBase

	ResultType string                  `json:"resultType,omitempty"`
	TTLMs      int                     `json:"ttlMs"`
	CacheScope string                  `json:"cacheScope"`
	Contents   []*sdk.ResourceContents `json:"contents"`
}

// noResource returns the protocol's error for a resource that does not exist or cannot be
// read, whose code differs between its versions.
func noResource(version, uri, why string) error {
	code := int64(jsonrpc.CodeInvalidParams)
	if version < Versions()[0] {
		code = -32002
	}
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf("there is no resource %.200q here: %s", uri, why)}
}

// uriOf returns the URI of a file of the caller's workspace.
func uriOf(name string) string { return fileScheme + (&url.URL{Path: name}).EscapedPath() }

// pathOf returns the path of the file that a URI names.
func pathOf(uri string) (string, bool) {
	escaped, ok := strings.CutPrefix(uri, fileScheme)
	if !ok || strings.ContainsAny(escaped, "?#") {
		return "", false
	}
	name, err := url.PathUnescape(escaped)
	return name, err == nil && name != "" && !strings.HasSuffix(name, "/")
}

var errLarge = errors.New("the file is too large")

// bounded holds what is written, up to maxResource.
type bounded struct {
	data []byte
	err  error
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if len(b.data)+len(p) > maxResource {
		b.err = errLarge
		return 0, errLarge
	}
	b.data = append(b.data, p...)
	return len(p), nil
}
