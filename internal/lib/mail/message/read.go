package message

import (
	"cmp"
	"errors"
	"io"
	"strings"

	gomessage "github.com/emersion/go-message"
	// The charsets beyond UTF-8 and Latin-1, for texts and fields.
	_ "github.com/emersion/go-message/charset"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Bounds of what is read of one mail.
const (
	maxHeader = 256 << 10
	maxDepth  = 10
	maxParts  = 500
	maxText   = 400 << 10 // bytes of one text
	// MaxFile bounds each file and all of them together, in bytes.
	MaxFile = 25 << 20
)

// Message is a mail.
type Message struct {
	Header
	// Text is the readable text, and HTML the HTML if there is any.
	Text, HTML string
	Files      []File
	// Cut is the reason why something was left out; empty if nothing was.
	Cut string
}

// File is a file that came with a mail.
type File struct {
	Name, Type string
	// Size is in bytes, as far as the file was read.
	Size int64
	// Path is where the file was saved; empty if it was not.
	Path string
}

// Save stores a file that came with a mail, and returns its path. An error that is a
// [tool.Error] ends Read.
type Save func(name string, contents io.Reader) (path string, err error)

// errCut ends the contents of a file that is too large.
var errCut = errors.New("the file is larger than is allowed")

// Read reads a mail. It fails only if there is no header at all, the source fails, or save
// does; save is nil to leave files.
func Read(r io.Reader, save Save) (*Message, error) {
	source := &watched{r: r}
	entity, err := gomessage.ReadWithOptions(source, &gomessage.ReadOptions{MaxHeaderBytes: maxHeader})
	switch {
	case source.err != nil:
		return nil, source.err
	case entity == nil:
		return nil, err
	}
	rd := &reader{save: save, left: MaxFile}
	m := &Message{Header: readHeader(&entity.Header)}
	if err := rd.part(entity, 0); err != nil && source.err == nil {
		return nil, err
	}
	if source.err != nil {
		return nil, source.err
	}
	m.Text, m.HTML, m.Files, m.Cut = rd.text(), rd.html.String(), rd.files, rd.cut
	return m, nil
}

// watched keeps the failure of a source, so that it is not taken for a broken mail.
type watched struct {
	r   io.Reader
	err error
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// reader collects the parts of a mail.
type reader struct {
	save        Save
	plain, html strings.Builder
	files       []File
	parts       int
	left        int64 // bytes of files that may be read
	cut         string
}

// omit notes the first reason why something is left out.
func (rd *reader) omit(why string) { rd.cut = cmp.Or(rd.cut, why) }

// text returns the readable text: the plain one, or that of the HTML.
func (rd *reader) text() string {
	if plain := strings.TrimSpace(rd.plain.String()); plain != "" || rd.html.Len() == 0 {
		return plain
	}
	return Readable(rd.html.String())
}

// part reads an entity and all below it.
func (rd *reader) part(e *gomessage.Entity, depth int) error {
	if rd.parts++; rd.parts > maxParts || depth > maxDepth {
		rd.omit("the mail has more parts than are read")
		return nil
	}
	kind, params := typeOf(&e.Header)
	if many := e.MultipartReader(); many != nil {
		return rd.many(many, depth)
	}
	disposition, dispositionParams, _ := e.Header.ContentDisposition() // a broken one is none
	name := dispositionParams["filename"]
	if name == "" {
		name = params["name"]
	}
	if !strings.EqualFold(disposition, "attachment") && name == "" {
		switch {
		case kind == "text/html":
			return rd.body(&rd.html, e.Body)
		case strings.HasPrefix(kind, "text/") && kind != "text/calendar", kind == "message/delivery-status":
			return rd.body(&rd.plain, e.Body)
		}
	}
	return rd.file(name, kind, e.Body)
}

// typeOf returns the media type of an entity. What is none is plain text (RFC 2045, 5.2).
func typeOf(h *gomessage.Header) (kind string, params map[string]string) {
	kind, params, err := h.ContentType()
	if err == nil {
		return kind, params
	}
	kind, _, _ = strings.Cut(kind, ";")
	if kind = strings.ToLower(strings.TrimSpace(kind)); !strings.Contains(kind, "/") {
		return "text/plain", nil
	}
	return kind, nil
}

// many reads the parts of a multipart entity, up to the first that is broken.
func (rd *reader) many(parts gomessage.MultipartReader, depth int) error {
	for rd.parts <= maxParts {
		e, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case e == nil:
			rd.omit("the mail is broken, and was read up to there")
			return nil //nolint:nilerr // see above
		}
		if err := rd.part(e, depth+1); err != nil {
			return err
		}
	}
	rd.omit("the mail has more parts than are read")
	return nil
}

// body appends a text, apart from the one before.
func (rd *reader) body(to *strings.Builder, r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		rd.omit("a text of the mail is broken, and was read up to there")
	}
	if len(text) > maxText || to.Len() > 0 && to.Len()+len(text) > maxText {
		text = text[:max(0, min(len(text), maxText-to.Len()))]
		rd.omit("the text of the mail is longer than is read")
	}
	clean := strings.ReplaceAll(strings.ToValidUTF8(string(text), "�"), "\r\n", "\n")
	clean = strings.ReplaceAll(clean, "\x00", "")
	if to.Len() > 0 && clean != "" {
		to.WriteString("\n\n")
	}
	to.WriteString(strings.TrimRight(clean, "\n"))
	return nil
}

// file notes a file, and saves it if that is wanted.
func (rd *reader) file(name, kind string, r io.Reader) error {
	f := File{Name: SafeName(name, kind, len(rd.files)+1), Type: textcut.Head(kind, 100)}
	counted := &bounded{r: r, left: rd.left}
	var err error
	if rd.save != nil && rd.left > 0 {
		f.Path, err = rd.save(f.Name, counted)
	} else {
		_, err = io.Copy(io.Discard, counted)
	}
	f.Size = counted.n
	rd.left -= counted.n
	switch {
	case counted.err != nil && errors.Is(counted.err, errCut):
		rd.omit("a file of the mail is too large: files are read up to 25 MB in all")
		f.Path = ""
	case counted.err != nil:
		rd.omit("a file of the mail is broken, and was not saved")
		f.Path = ""
	case err != nil:
		return err
	}
	rd.files = append(rd.files, f)
	return nil
}

// bounded reads up to a number of bytes, counts them, and keeps the failure of its source.
type bounded struct {
	r       io.Reader
	n, left int64
	err     error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.n += int64(n)
	switch {
	case b.n > b.left:
		b.err = errCut
	case err != nil && !errors.Is(err, io.EOF):
		b.err = err
	default:
		return n, err
	}
	return 0, b.err
}
