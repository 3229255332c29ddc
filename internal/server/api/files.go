package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// The names of the operations on files. Contents are transferred over HTTP only.
const (
	FilesList   = "files.list"
	FilesGet    = "files.get"
	FilesPut    = "files.put"
	FilesDelete = "files.delete"
)

// FileAt is a file or directory in the workspace of a user, with the conditions of a
// request and its range.
type FileAt struct {
	Tenant, User, Path string
	Header             map[string]string
}

// FileHead is the status and the headers of an answer about a file.
type FileHead struct {
	Status int
	Header map[string]string
}

// Files reaches the workspaces, which workers hold. Its errors that a caller may see are
// of type [*RequestError]. A condition that does not hold is a head with its status.
type Files interface {
	// List returns a page of the files below a directory.
	List(ctx context.Context, at FileAt, limit int, cursor string) (protocol.FileList, error)
	// Get calls begin with the head of the answer and then writes the contents to out;
	// with headOnly there are none.
	Get(ctx context.Context, at FileAt, headOnly bool, begin func(FileHead), out io.Writer) error
	// Put stores the file from in. Whatever fails, the file is as it was before.
	Put(ctx context.Context, at FileAt, in io.Reader) (FileHead, error)
	// Delete removes a file or an empty directory.
	Delete(ctx context.Context, at FileAt) (FileHead, error)
}

// fileConditions are the headers that a request about a file may carry.
var fileConditions = []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range"}

// File returns the place of a request of op about files, for a transport that streams. The
// path is as in the URL, without a slash before it.
func (s *Service) File(op Operation, in Input, header http.Header) (at FileAt, err error) {
	if err := s.authorize(&in, op); err != nil {
		return at, err
	}
	if at, err = s.fileAt(in); err != nil {
		return at, err
	}
	if op.Name == FilesPut {
		if err := checkNewName(at.Path); err != nil {
			return at, err
		}
	}
	for _, name := range fileConditions {
		if values := header.Values(name); len(values) > 0 {
			at.Header[name] = strings.Join(values, ", ")
		}
	}
	return at, nil
}

// fileAt returns the place that a request names. An agent may not: its calls of tools pass
// the gate, which this would not.
func (s *Service) fileAt(in Input) (FileAt, error) {
	at := FileAt{Tenant: in.Tenant, Path: in.Params["path"], Header: map[string]string{}}
	if s.Files == nil {
		return at, missing("files")
	}
	if in.By.Agent != "" {
		return at, Forbidden("the agent %q cannot transfer files: it reads and writes them with tools", in.By.Agent)
	}
	var err error
	if at.User, err = whose(in, in.Params["user"], identity.Admin); err != nil {
		return at, err
	}
	if at.User == "" {
		at.User = in.By.User
	}
	return at, checkPath(at.Path)
}

// device matches a name that is a device on Windows, whatever its extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)( *[.:].*)?$`)

// drive matches a path that is on a drive of Windows.
var drive = regexp.MustCompile(`^[A-Za-z]:`)

// checkPath refuses a path that leads out of a workspace on any system. The worker checks
// it again, with the links on its way.
func checkPath(name string) error {
	switch {
	case !utf8.ValidString(name):
		return BadRequest("the path is not UTF-8")
	case strings.ContainsRune(name, 0):
		return BadRequest("the path holds the character NUL")
	case strings.HasPrefix(name, "/"), strings.HasPrefix(name, `\`), drive.MatchString(name):
		return Forbidden("the path is outside the workspace; name a file relative to it")
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(name, `\`, "/"), "/") {
		if part == ".." {
			return Forbidden("the path may not contain the name \"..\"; name a file relative to the workspace")
		}
		if device.MatchString(part) {
			return BadRequest("%.40q is the name of a device on Windows; choose another one", part)
		}
	}
	if strings.Contains(name, `\`) {
		return BadRequest("paths use forward slashes")
	}
	return nil
}

// checkNewName refuses the name of a new file that is not shown as it is: with the end of a
// line, another control character, or a character that is invisible or changes the direction
// of the text. The joiners of scripts and of emoji are allowed. A file that has such a name already can be read and deleted.
func checkNewName(name string) error {
	for _, r := range name {
		const nonJoiner, joiner = 0x200C, 0x200D
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != nonJoiner && r != joiner {
			return BadRequest("the path holds the character U+%04X, which is not shown; choose another name", r)
		}
	}
	return nil
}

// GetFile sends a file, for a transport that streams; at is the result of File.
func (s *Service) GetFile(ctx context.Context, by identity.Principal, at FileAt, headOnly bool, begin func(FileHead), out io.Writer) error {
	ctx = identity.With(ctx, by)
	if err := s.looked(ctx, at.Tenant, at.User, FilesGet, fmt.Sprintf("the file %.300q is read", at.Path)); err != nil {
		return err
	}
	return s.Files.Get(ctx, at, headOnly, begin, out)
}

// PutFile stores a file; see GetFile.
func (s *Service) PutFile(ctx context.Context, by identity.Principal, at FileAt, in io.Reader) (FileHead, error) {
	return s.Files.Put(identity.With(ctx, by), at, in)
}

// DeleteFile removes a file; see GetFile.
func (s *Service) DeleteFile(ctx context.Context, by identity.Principal, at FileAt) (FileHead, error) {
	return s.Files.Delete(identity.With(ctx, by), at)
}

func (s *Service) listFiles(ctx context.Context, in Input) (Reply, error) {
	at, err := s.fileAt(in)
	if err != nil {
		return Reply{}, err
	}
	limit, err := pageSize(in.Params["limit"])
	if err != nil {
		return Reply{}, err
	}
	if err := checkPath(in.Params["cursor"]); err != nil {
		return Reply{}, BadRequest("cursor is none of a page of this list")
	}
	if at.Path = strings.TrimRight(at.Path, "/"); at.Path == "" {
		at.Path = "."
	}
	if err := s.looked(ctx, at.Tenant, at.User, FilesList, fmt.Sprintf("the files of the directory %.300q are listed", at.Path)); err != nil {
		return Reply{}, err
	}
	list, err := s.Files.List(ctx, at, limit, in.Params["cursor"])
	if err != nil {
		return Reply{}, err
	}
	list.Files = array(list.Files)
	return answer(list)
}

func (s *Service) refuseFile(context.Context, Input) (Reply, error) {
	return Reply{}, BadRequest("contents of files are transferred over HTTP: GET or PUT /v1/files/{path}")
}

func (s *Service) deleteFile(ctx context.Context, in Input) (Reply, error) {
	at, err := s.fileAt(in)
	if err != nil {
		return Reply{}, err
	}
	if _, err := s.Files.Delete(ctx, at); err != nil {
		return Reply{}, err
	}
	return Reply{Body: bytes.Clone([]byte("{}"))}, nil
}
