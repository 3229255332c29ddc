package apitools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"path"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mediatype"
	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/tool"
)

const (
	maxForm  = 64 << 20 // bytes of a form with its files
	maxFiles = 100      // of one form
)

// multiform is the body of a form with files. The files are read while it is sent, so that
// a form costs no memory.
type multiform struct {
	call   *tool.Call
	fields *apidoc.Body
	buffer bytes.Buffer
	parts  []piece
	size   int64
	files  int
}

// piece is a text of the form, or a file whose contents have that size.
type piece struct {
	text []byte
	file string
	size int64
}

// newMultiform writes fields as multipart/form-data. The values of fields that hold files are
// paths in the workspace.
func newMultiform(call *tool.Call, b *apidoc.Body, fields []member) (*content, error) {
	f := &multiform{call: call, fields: b}
	w := multipart.NewWriter(&f.buffer)
	for _, m := range fields {
		values, list := itemsOf(m.value)
		if !list {
			values = []json.RawMessage{m.value}
		}
		for _, raw := range values {
			if err := f.part(w, m.name, raw); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	f.flush()
	return &content{
		reader: f.open(), media: w.FormDataContentType(), size: f.size,
		again: func() (io.ReadCloser, error) { return f.open(), nil },
	}, nil
}

var quotes = strings.NewReplacer("\\", "\\\\", `"`, "\\\"", "\r", "%0D", "\n", "%0A")

// part adds one value of the form.
func (f *multiform) part(w *multipart.Writer, name string, raw json.RawMessage) error {
	media := f.fields.Fields[name].ContentType
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"`, quotes.Replace(name)))
	if f.fields.Files[name] {
		return f.file(w, h, name, plainly(raw), media)
	}
	if membersOf(raw) != nil && media == "" {
		media = "application/json"
	}
	if media != "" && !strings.ContainsAny(media, "\r\n,") {
		h.Set("Content-Type", media)
	}
	to, err := w.CreatePart(h)
	if err == nil {
		_, err = io.WriteString(to, plainly(raw))
	}
	return err
}

// file adds a file of the workspace.
func (f *multiform) file(w *multipart.Writer, h textproto.MIMEHeader, field, name, media string) error {
	size, err := sizeOf(f.call, name, maxForm)
	if err != nil {
		return err
	}
	base := path.Base(name)
	h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="%s"`, quotes.Replace(field), quotes.Replace(base)))
	if media == "" || strings.ContainsAny(media, "\r\n,*") {
		media = mediatype.ByName(base)
	}
	h.Set("Content-Type", media)
	if _, err := w.CreatePart(h); err != nil {
		return err
	}
	f.flush()
	f.parts = append(f.parts, piece{file: name, size: size})
	f.size += size
	switch f.files++; {
	case f.files > maxFiles:
		return tool.Fail(tool.ValidationError, "one form may have %d files; send fewer", maxFiles)
	case f.size > maxForm:
		return tool.Fail(tool.FileTooLarge, "the files of one form may have %d bytes together; send smaller files", maxForm)
	}
	return nil
}

// sizeOf returns the size of a file that can be read.
func sizeOf(call *tool.Call, name string, most int64) (int64, error) {
	file, err := call.Files.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	return checked(file, name, most)
}

// flush makes a piece of the text that was written since the last file.
func (f *multiform) flush() {
	if f.buffer.Len() > 0 {
		f.parts = append(f.parts, piece{text: bytes.Clone(f.buffer.Bytes())})
		f.size += int64(f.buffer.Len())
		f.buffer.Reset()
	}
}

// open returns the contents of the form.
func (f *multiform) open() io.ReadCloser { return &formReader{call: f.call, left: f.parts} }

// formReader reads a form, one file at a time.
type formReader struct {
	call *tool.Call
	left []piece
	now  io.Reader
	file io.Closer
}

// Read implements [io.Reader].
func (r *formReader) Read(p []byte) (int, error) {
	for {
		if r.now == nil {
			if len(r.left) == 0 {
				return 0, io.EOF
			}
			if err := r.next(); err != nil {
				return 0, err
			}
		}
		n, err := r.now.Read(p)
		if err == io.EOF { //nolint:errorlint // readers return it as it is
			err, r.now = r.Close(), nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next begins the next piece.
func (r *formReader) next() error {
	part := r.left[0]
	r.left = r.left[1:]
	if part.file == "" {
		r.now = bytes.NewReader(part.text)
		return nil
	}
	file, err := r.call.Files.Open(part.file)
	if err != nil {
		return err
	}
	r.now, r.file = io.LimitReader(file, part.size), file // it may have grown
	return nil
}

// Close closes the file that is being read.
func (r *formReader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}
