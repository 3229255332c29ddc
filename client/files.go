package client

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/protocol"
)

// File is a file of a workspace.
type File = protocol.File

// Files returns the files below a directory of a workspace, by path; an empty directory is
// the workspace. The user is the caller if empty, here and in the other methods on files;
// only admins name another person.
func (c *Client) Files(ctx context.Context, user, dir string) (all []File, err error) {
	dir = strings.Trim(dir, "/")
	path := filePath(dir)
	if dir != "" {
		path += "/"
	}
	params := given(map[string]string{"user": user, "limit": "1000"})
	err = pages(params, func() (string, error) {
		op := list("files.list", path, params)
		op.fields = maps.Clone(params)
		if dir != "" {
			op.fields["path"] = dir
		}
		var page protocol.FileList
		body, err := c.ask(ctx, op)
		if err == nil {
			err = decode(body, &page)
		}
		all = append(all, page.Files...)
		return page.Next, err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// GetFile writes the contents of a file to w, over HTTP only. After an error w holds a
// part.
func (c *Client) GetFile(ctx context.Context, user, path string, w io.Writer) error {
	t, err := c.forFiles(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, dataPatience, t.silence())
	defer cancel()
	return t.download(ctx, list("files.get", filePath(path), given(map[string]string{"user": user})), w)
}

// PutFile stores what r contains as a file, over HTTP only. It replaces the file in one
// step; after an error the file is as it was before, or complete if the answer was lost. It
// is not tried again, because r is read once.
func (c *Client) PutFile(ctx context.Context, user, path string, r io.Reader) error {
	t, err := c.forFiles(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, dataPatience, t.silence())
	defer cancel()
	op := list("files.put", filePath(path), given(map[string]string{"user": user}))
	op.method, op.upload = http.MethodPut, io.NopCloser(r) // net/http would close r
	_, err = t.request(ctx, op)
	return err
}

// DeleteFile removes a file, or an empty directory.
func (c *Client) DeleteFile(ctx context.Context, user, path string) error {
	if strings.Trim(path, "/") == "" {
		return misused("the path of the file is missing")
	}
	op := list("files.delete", filePath(path), given(map[string]string{"user": user}))
	op.method, op.fields = http.MethodDelete, given(map[string]string{"user": user, "path": path})
	_, err := c.ask(ctx, op)
	return err
}

// forFiles returns the transport of contents of files.
func (c *Client) forFiles(path string) (*httpTransport, error) {
	t, ok := c.via.(*httpTransport)
	switch {
	case !ok:
		return nil, misused("contents of files are transferred over HTTP only; connect to the http:// or https:// address of a dispatcher")
	case path == "" || strings.HasSuffix(path, "/"):
		return nil, misused("the path must name a file, and not a directory")
	}
	return t, nil
}

// filePath returns the path of the request for a file.
func filePath(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return "/v1/files/" + strings.Join(names, "/")
}
