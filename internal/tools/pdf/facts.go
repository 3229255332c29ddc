package pdf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/pdftext"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// info holds the statements of a document's author.
type info struct {
	Title        string `json:"Title,omitempty"`
	Author       string `json:"Author,omitempty"`
	Subject      string `json:"Subject,omitempty"`
	Keywords     string `json:"Keywords,omitempty"`
	Creator      string `json:"Creator,omitempty"`
	Producer     string `json:"Producer,omitempty"`
	CreationDate string `json:"CreationDate,omitempty"`
	ModDate      string `json:"ModDate,omitempty"`
}

// metadata holds the statements of the programs that made a document.
type metadata struct {
	Producer         string `json:"Producer,omitempty"`
	Creator          string `json:"Creator,omitempty"`
	CreationDate     string `json:"CreationDate,omitempty"`
	ModDate          string `json:"ModDate,omitempty"`
	PDFFormatVersion string `json:"PDFFormatVersion,omitempty"`
	PageSize         string `json:"PageSize,omitempty" doc:"Size of the first page, in points of 1/72 inch."`
	Encrypted        bool   `json:"Encrypted"`
}

// facts holds the known facts about a whole document.
type facts struct {
	pages int
	info  info
	meta  metadata
}

// maxPages is a number of pages that no document has.
const maxPages = 1_000_000

// inspect checks that a file of the workspace has the header of a PDF.
func inspect(call *tool.Call, name string) (fs.FileInfo, error) {
	f, err := call.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const header = 1024 // readers allow that much before the header
	head, err := io.ReadAll(io.LimitReader(f, header))
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(head, []byte("%PDF-")) {
		return nil, tool.Fail(tool.ValidationError, "%s is not a PDF document.", path.Base(name))
	}
	return f.Stat()
}

// poppler runs one of poppler's programs on a document.
func poppler(ctx context.Context, call *tool.Call, p tool.Program, args ...string) (tool.Ran, error) {
	p.Args = append(p.Args, args...)
	p.ReadOnly, p.Memory = true, 1<<30
	ran, err := call.Programs.Run(ctx, p)
	switch {
	case err != nil || ran.Flooded:
		return ran, err
	case bytes.Contains(ran.Stderr, []byte("Incorrect password")):
		return ran, pdftext.Encrypted()
	case ran.Code != 0 || ran.Signal != "":
		return ran, pdftext.Damaged(errors.New(string(ran.Stderr)))
	}
	return ran, nil
}

// argument returns a path of the workspace in a form that no program takes for an
// option.
func argument(name string) string { return "./" + path.Clean(name) }

// popplerFacts returns the output of pdfinfo as facts.
func popplerFacts(ctx context.Context, call *tool.Call, name string) (*facts, error) {
	ran, err := poppler(ctx, call, tool.Program{Name: "pdfinfo", MaxOutput: 256 << 10}, "-rawdates", "-enc", "UTF-8", argument(name))
	if err != nil {
		return nil, err
	}
	f := parseInfo(string(ran.Stdout))
	if f.pages < 1 || f.pages > maxPages {
		return nil, pdftext.Damaged(nil)
	}
	return f, nil
}

// parseInfo parses the output of pdfinfo. A title may contain line breaks and so
// imitate other lines; of the lines that matter, the last one is pdfinfo's own.
func parseInfo(text string) *facts {
	f := &facts{}
	fields := map[string]*string{
		"Title": &f.info.Title, "Author": &f.info.Author, "Subject": &f.info.Subject, "Keywords": &f.info.Keywords, "Creator": &f.info.Creator,
		"Producer": &f.info.Producer, "CreationDate": &f.info.CreationDate, "ModDate": &f.info.ModDate,
		"PDF version": &f.meta.PDFFormatVersion, "Page size": &f.meta.PageSize,
	}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(line, ":")
		value = clean(value)
		switch {
		case !ok:
		case name == "Pages":
			f.pages, _ = strconv.Atoi(value) // 0, which is refused, if it is not a number
		case name == "Encrypted":
			f.meta.Encrypted = strings.HasPrefix(value, "yes")
		case fields[name] != nil && value != "":
			*fields[name] = value
		}
	}
	f.info.CreationDate, f.info.ModDate = date(f.info.CreationDate), date(f.info.ModDate)
	f.meta.Producer, f.meta.Creator = f.info.Producer, f.info.Creator
	f.meta.CreationDate, f.meta.ModDate = f.info.CreationDate, f.info.ModDate
	return f
}

// open parses a document of the workspace, on a worker without poppler.
func open(ctx context.Context, call *tool.Call, name string) (*pdftext.Document, error) {
	f, err := call.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, pdftext.MaxSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > pdftext.MaxSize:
		return nil, tool.Fail(tool.FileTooLarge,
			"The PDF is larger than %d MiB, too large for this worker; an operator can install the package poppler-utils, which reads larger ones.",
			pdftext.MaxSize>>20)
	}
	return pdftext.Parse(ctx, data)
}

// factsOf returns the same facts as pdfinfo would.
func factsOf(doc *pdftext.Document) *facts {
	said := doc.Info()
	f := &facts{pages: doc.Count(), info: info{
		Title: clean(said.Title), Author: clean(said.Author), Subject: clean(said.Subject), Keywords: clean(said.Keywords),
		Creator: clean(said.Creator), Producer: clean(said.Producer), CreationDate: date(clean(said.CreationDate)),
		ModDate: date(clean(said.ModDate)),
	}}
	f.meta = metadata{
		Producer: f.info.Producer, Creator: f.info.Creator, CreationDate: f.info.CreationDate, ModDate: f.info.ModDate,
		PDFFormatVersion: said.Version, PageSize: said.PageSize, Encrypted: said.Encrypted,
	}
	return f
}

// clean limits a text that a document states about itself.
func clean(s string) string {
	const most = 1000
	s = strings.TrimSpace(strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s), "\ufffd"))
	return textcut.Clip(s, most)
}

// notConfigured reports whether a program is missing.
func notConfigured(err error) bool {
	return err != nil && tool.AsError(err).Kind == tool.NotConfigured
}
