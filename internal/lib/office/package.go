package office

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/helve-dev/helve/internal/lib/archive"
	"github.com/helve-dev/helve/internal/lib/xmlread"
	"github.com/helve-dev/helve/tool"
)

// Bounds of a document.
const (
	// maxUnpacked bounds the bytes of the parts that are read.
	maxUnpacked = 128 << 20
	// maxText bounds the text that is made of a part, in bytes.
	maxText = 8 << 20
)

// errCut ends the reading of a document that is too large or too deep. What was read is kept.
var errCut = xmlread.ErrLimit

// Kinds of documents.
const (
	Workbook = "xlsx"
	Text     = "docx"
)

// Package is an open document.
type Package struct {
	// Kind is one of the kinds of documents, empty for another zip file.
	Kind  string
	ctx   context.Context
	files map[string]*zip.File
	left  int64
}

// Open opens a zip file that may be a document.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Package, error) {
	if err := archive.CheckZip(ctx, r, size); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, damaged(err)
	}
	p := &Package{ctx: ctx, files: map[string]*zip.File{}, left: maxUnpacked}
	for _, f := range z.File {
		p.files[strings.ToLower(strings.TrimPrefix(f.Name, "/"))] = f
	}
	switch {
	case p.has("xl/workbook.xml"):
		p.Kind = Workbook
	case p.has("word/document.xml"):
		p.Kind = Text
	}
	return p, nil
}

// has reports whether the zip file has a part of that name.
func (p *Package) has(name string) bool { return p.files[strings.ToLower(name)] != nil }

// Like returns the kind of another document, by its parts; empty if it is none that is known.
func (p *Package) Like() string {
	for name, kind := range map[string]string{
		"ppt/presentation.xml": "PowerPoint presentation", "xl/workbook.bin": "binary Excel workbook", "content.xml": "OpenDocument file",
		"index/document.iwa": "document of Apple iWork",
	} {
		if p.has(name) {
			return kind
		}
	}
	return ""
}

func damaged(err error) error {
	return tool.Fail(tool.ValidationError,
		"The document is damaged or incomplete; get it again, or save it again in its program.").Because(err)
}

// reader reads the elements of a part.
type reader struct {
	*xmlread.Reader

	part io.Closer
}

// part opens a part, nil if there is none.
func (p *Package) part(name string) (*reader, error) {
	f := p.files[strings.ToLower(name)]
	if f == nil {
		return nil, nil
	}
	in, err := f.Open()
	if err != nil {
		return nil, damaged(err)
	}
	return &reader{Reader: xmlread.New(p.ctx, &limited{in, &p.left}), part: in}, nil
}

func (r *reader) close() { _ = r.part.Close() } // everything that matters has been read

// limited fails when the parts of a package have more bytes than are read.
type limited struct {
	r    io.Reader
	left *int64
}

func (l *limited) Read(p []byte) (int, error) {
	if *l.left <= 0 {
		return 0, errCut
	}
	n, err := l.r.Read(p[:min(int64(len(p)), *l.left)])
	*l.left -= int64(n)
	return n, err
}

// root calls start for the elements inside the root of a part; a missing part has none.
func (p *Package) root(name string, start func(r *reader, e xml.StartElement) error) error {
	r, err := p.part(name)
	if r == nil || err != nil {
		return err
	}
	defer r.close()
	for {
		token, err := r.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return wrapped(err)
		}
		if _, ok := token.(xml.StartElement); ok {
			return wrapped(r.Each(func(e xml.StartElement) error { return start(r, e) }, nil))
		}
	}
}

// wrapped returns the error of a part as one of the document.
func wrapped(err error) error {
	if err == nil || errors.Is(err, errCut) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, known := errors.AsType[*tool.Error](err); known {
		return err
	}
	return damaged(err)
}

// attr returns an attribute, whatever its name space.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relations returns the targets of the relations of a part, by id.
func (p *Package) relations(part string) (map[string]string, error) {
	targets := map[string]string{}
	dir, base := path.Split(part)
	err := p.root(dir+"_rels/"+base+".rels", func(r *reader, e xml.StartElement) error {
		target := attr(e, "Target")
		if !strings.EqualFold(attr(e, "TargetMode"), "External") {
			if rooted, ok := strings.CutPrefix(target, "/"); ok {
				target = rooted
			} else {
				target = path.Join(dir, target)
			}
		}
		targets[attr(e, "Id")] = target
		return r.Skip()
	})
	return targets, err
}
