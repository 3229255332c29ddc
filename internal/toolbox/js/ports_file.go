package js

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"github.com/helve-dev/helve/tool"
)

const (
	maxPath         = 4 << 10
	maxEntries      = 10_000
	maxEntriesBytes = 1 << 20
)

func (p *Ports) file(ctx context.Context, req FileRequest, held *portion) (*FileResponse, error) {
	files := p.Call.Files
	if !p.Files || files == nil {
		return nil, tool.Fail(tool.PermissionDenied, "this tool has no access to files")
	}
	if err := spend(&p.files, maxFileOps, "file operations"); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(req.Path) > maxPath {
		return nil, tool.Fail(tool.ValidationError, "fs: the path is longer than %d bytes", maxPath)
	}
	if len(req.Data) > MaxBody {
		return nil, tool.Fail(tool.FileTooLarge, "fs: a script can write at most %d MB at a time", MaxBody>>20)
	}
	switch req.Do {
	case "read":
		return readWorkspace(ctx, files, req.Path, held)
	case "write":
		return &FileResponse{}, inDirectory(files, req.Path, func() error {
			_, err := files.Write(req.Path, bytes.NewReader(req.Data))
			return err
		})
	case "append":
		return &FileResponse{}, inDirectory(files, req.Path, func() error { return files.Append(req.Path, req.Data) })
	case "exists":
		_, err := files.Stat(req.Path)
		if fileMissing(err) {
			return &FileResponse{}, nil
		}
		return &FileResponse{Exists: err == nil}, err
	case "list":
		return listWorkspace(files, req.Path)
	case "remove":
		return &FileResponse{}, files.Remove(req.Path)
	}
	return nil, tool.Fail(tool.ValidationError, "fs: there is no operation %.20q", req.Do)
}

// inDirectory creates the file's directory if put fails because it is missing, and only
// then, so that an impossible path creates no directory.
func inDirectory(files tool.Files, name string, put func() error) error {
	err := put()
	if fileMissing(err) && path.Dir(name) != "." {
		if err = files.MkdirAll(path.Dir(name)); err == nil {
			err = put()
		}
	}
	return err
}

func fileMissing(err error) bool {
	e, ok := errors.AsType[*tool.Error](err)
	return ok && e.Kind == tool.FileNotFound
}

func readWorkspace(ctx context.Context, files tool.Files, name string, held *portion) (*FileResponse, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	size := int64(-1)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	data, err := readBody(ctx, f, size, held)
	if errors.Is(err, errBodyTooLong) {
		return nil, tool.Fail(tool.FileTooLarge, "fs: the file has more than %d MB, which is the most a script can read: %s", MaxBody>>20, name)
	}
	if _, ours := errors.AsType[*tool.Error](err); ours || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "fs: the file cannot be read: %s", name).Because(err)
	}
	return &FileResponse{Data: data}, nil
}

func listWorkspace(files tool.Files, name string) (*FileResponse, error) {
	entries, err := files.ReadDir(name)
	if err != nil {
		return nil, err
	}
	names, size := make([]string, len(entries)), 0
	for i, e := range entries {
		names[i] = e.Name()
		if e.IsDir() {
			names[i] += "/"
		}
		size += len(names[i])
	}
	if len(names) > maxEntries || size > maxEntriesBytes {
		return nil, tool.Fail(tool.FileTooLarge, "fs: the directory has more than %d entries, which is the most a script can list: %s",
			maxEntries, strings.TrimSuffix(name, "/"))
	}
	return &FileResponse{Entries: names}, nil
}
