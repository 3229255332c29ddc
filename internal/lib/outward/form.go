package outward

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/textproto"

	"github.com/helve-dev/helve/tool"
)

// Form is a body of the type multipart/form-data (RFC 7578). It can be sent once, because
// its files are streams.
type Form struct {
	Fields []Field
	Files  []File
}

// Field is a text of a form.
type Field struct{ Name, Value string }

// File is a file of a form.
type File struct {
	// Field is the name of the field; Name and Type are the name and type of the file.
	Field, Name, Type string
	// Size is the number of bytes of Data.
	Size int64
	Data io.Reader
}

// Add adds a field, unless its value is empty.
func (f *Form) Add(name, value string) {
	if value != "" {
		f.Fields = append(f.Fields, Field{name, value})
	}
}

// body returns the encoded form, its size and its type.
func (f *Form) body() (data io.Reader, size int64, kind string, err error) {
	var head bytes.Buffer
	var parts []io.Reader
	form := multipart.NewWriter(&head)
	flush := func() {
		size += int64(head.Len())
		parts = append(parts, bytes.NewReader(bytes.Clone(head.Bytes())))
		head.Reset()
	}
	for _, field := range f.Fields {
		if err := form.WriteField(field.Name, field.Value); err != nil {
			return nil, 0, "", err
		}
	}
	for _, file := range f.Files {
		_, err := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {multipart.FileContentDisposition(file.Field, file.Name)}, "Content-Type": {file.Type},
		})
		if err != nil {
			return nil, 0, "", err
		}
		flush()
		size += file.Size
		parts = append(parts, &exactly{file.Data, file.Size})
	}
	if err := form.Close(); err != nil {
		return nil, 0, "", err
	}
	flush()
	return io.MultiReader(parts...), size, form.FormDataContentType(), nil
}

// exactly reads the declared number of bytes of a file, and fails if there are fewer: the
// request has announced its length.
type exactly struct {
	io.Reader

	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.Reader.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if errors.Is(err, io.EOF) && e.left > 0 {
		return n, tool.Fail(tool.ExecutionError, "a file became shorter while it was sent; try again when nothing writes to it")
	}
	return n, err
}
