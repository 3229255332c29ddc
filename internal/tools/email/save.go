package email

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/tool"
)

// mostNames bounds the names that are tried for a file.
const mostNames = 1000

// saver returns a function that saves files of a mail in a directory of the workspace, under
// names that are free there.
func saver(call *tool.Call, dir string) (message.Save, error) {
	if err := call.Files.MkdirAll(dir); err != nil {
		return nil, err
	}
	return func(name string, contents io.Reader) (string, error) {
		to, err := free(call, dir, name)
		if err != nil {
			return "", err
		}
		_, err = call.Files.Create(to, 0o644, contents)
		return to, err
	}, nil
}

// free returns a path in dir that nothing has: name, or "name (2)" and so on.
func free(call *tool.Call, dir, name string) (string, error) {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := range mostNames {
		to := path.Join(dir, name)
		if n > 0 {
			to = path.Join(dir, fmt.Sprintf("%s (%d)%s", stem, n+1, ext))
		}
		_, err := call.Files.Lstat(to)
		if e := tool.AsError(err); e != nil && e.Kind == tool.FileNotFound {
			return to, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", tool.Fail(tool.ExecutionError, "The directory %s has %d files of the name %s; name another attachmentDir", dir, mostNames, name)
}
