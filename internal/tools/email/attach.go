package email

import (
	"io"
	"mime"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mail/outbox"
	"github.com/helve-dev/helve/internal/lib/mediatype"
	"github.com/helve-dev/helve/tool"
)

// mostFiles bounds the files that go with a mail.
const mostFiles = 100

// outside reports whether a path leaves the workspace as it is written. The files port looks
// at links too.
func outside(name string) bool {
	clean := path.Clean(name)
	return path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../")
}

func notAllowed() *tool.Error {
	return tool.Fail(tool.PathNotAllowed, "Attachment path is not within the allowed workspace.")
}

// checkAttachments refuses what can be refused without looking at the workspace.
func checkAttachments(paths []string) error {
	if len(paths) > mostFiles {
		return tool.Fail(tool.ValidationError, "The mail has %d attachments; at most %d are allowed", len(paths), mostFiles)
	}
	if slices.ContainsFunc(paths, outside) {
		return notAllowed()
	}
	return nil
}

// attach returns the files of the workspace that go with a mail.
func attach(call *tool.Call, paths []string) ([]outbox.Attachment, error) {
	if err := checkAttachments(paths); err != nil {
		return nil, err
	}
	all := make([]outbox.Attachment, len(paths))
	var size int64
	for i, p := range paths {
		info, err := call.Files.Stat(p)
		if err != nil {
			return nil, unattached(p, err)
		}
		if !info.Mode().IsRegular() {
			return nil, tool.Fail(tool.ValidationError, "Attachment is not a file: %s; attach its files, or a ZIP archive", p)
		}
		if size += info.Size(); size > outbox.MaxAttachments {
			return nil, tool.Fail(tool.FileTooLarge, "The attachments have more than %d MB in all; send fewer, or a link", outbox.MaxAttachments>>20)
		}
		kind, _, err := mime.ParseMediaType(mediatype.ByName(p))
		if err != nil {
			kind = mediatype.Unknown
		}
		all[i] = outbox.Attachment{
			Name: path.Base(path.Clean(p)),
			Type: kind,
			Size: info.Size(),
			Open: func() (io.ReadCloser, error) { return call.Files.Open(p) },
		}
	}
	return all, nil
}

// unattached returns the error for a file that cannot be attached.
func unattached(name string, err error) error {
	switch e := tool.AsError(err); e.Kind {
	case tool.PathNotAllowed:
		return notAllowed().Because(err)
	case tool.FileNotFound:
		return tool.Fail(tool.FileNotFound, "Attachment not found: %s", name).Because(err)
	default:
		return e
	}
}
