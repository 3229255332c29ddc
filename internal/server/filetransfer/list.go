package filetransfer

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// List returns a page of the files below a directory, by path: those after r.After, at
// most r.Limit. Links are not followed, and directories are not listed themselves.
func List(ctx context.Context, files tool.FileReader, r *peer.FileRequest) (page protocol.FileList, err error) {
	info, err := files.Stat(r.Path)
	if err != nil {
		return page, err
	}
	if !info.IsDir() {
		return page, tool.Fail(tool.ValidationError, "Path is a file, not a directory: %s", r.Path)
	}
	err = files.Walk(r.Path, func(name string, entry tool.Entry, failed error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if failed != nil {
			return nil //nolint:nilerr // it cannot be listed; the others can
		}
		if entry.IsDir() {
			if r.After != "" && order(name, r.After) < 0 && !strings.HasPrefix(r.After, name+"/") {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || r.After != "" && order(name, r.After) <= 0 {
			return nil
		}
		if len(page.Files) == r.Limit {
			page.Next = page.Files[len(page.Files)-1].Path
			return fs.SkipAll
		}
		if info, err := entry.Info(); err == nil { // it may be gone since it was listed
			page.Files = append(page.Files, protocol.File{Path: name, Size: info.Size(), Modified: info.ModTime().UTC().Truncate(time.Millisecond)})
		}
		return nil
	})
	return page, err
}

// order compares two paths as a walk visits them: name by name.
func order(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}
