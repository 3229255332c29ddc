package pdf

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/pdftext"
	"github.com/helve-dev/helve/tool"
)

type readPDFArgs struct {
	Path          string `json:"path" min:"1" doc:"PDF document to read, relative to the workspace."`
	Pages         string `json:"pages,omitempty" default:"all" max:"2000" doc:"Pages to read: all, or numbers and ranges such as 1-5 or 1,3,7-9; the first page is 1."`
	ExtractImages bool   `json:"extractImages,omitempty" doc:"Also list the images with page, size and format; they are not described."`
	ExtractTables bool   `json:"extractTables,omitempty" doc:"Also return what looks like a table as rows of cells."`
}

type readPDFResult struct {
	Text       string    `json:"text" doc:"The text of the pages, with an empty line between them."`
	PageCount  int       `json:"pageCount" doc:"Pages the document has in all."`
	Pages      string    `json:"pages" doc:"The pages that were read."`
	Info       info      `json:"info"`
	Metadata   metadata  `json:"metadata"`
	Tables     []table   `json:"tables,omitzero"`
	Images     []picture `json:"images,omitzero"`
	ImageCount int       `json:"imageCount,omitempty"`
	Note       string    `json:"note,omitempty"`
	Warning    string    `json:"warning,omitempty"`
	Path       string    `json:"path"`
	Size       int64     `json:"size" doc:"Size of the file in bytes."`
	Modified   string    `json:"modified"`
	Truncated  bool      `json:"truncated" doc:"Whether text was left out for its size; read fewer pages then."`
}

var _ = tool.Add(Set, tool.Spec[readPDFArgs, *readPDFResult]{
	Name: "read_pdf",
	Description: "Read the text of a PDF document of the workspace, whole or some pages, with its tables and a list of its images if asked; " +
		"returns text, page count, title and author.",
	Tags:       []string{"pdf", "document", "read", "file", "extract text", "text", "table", "pages", "paper", "report", "content"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Errors:     []tool.Kind{tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.Unsupported, tool.ExecutionError},
	Example:    `{"path": "paper.pdf", "pages": "1"}`,
	Timeout:    2 * time.Minute,
	Check: func(_ context.Context, _ *tool.Call, args readPDFArgs) error {
		_, err := parsePages(args.Pages)
		return err
	},
	Run: readPDF,
})

const noPictures = "Images were not listed: that needs the package poppler-utils, which an operator can install."

func readPDF(ctx context.Context, call *tool.Call, args readPDFArgs) (*readPDFResult, error) {
	wanted, err := parsePages(args.Pages)
	if err != nil {
		return nil, err
	}
	file, err := inspect(call, args.Path)
	if err != nil {
		return nil, err
	}
	res := &readPDFResult{Path: args.Path, Size: file.Size(), Modified: file.ModTime().UTC().Format(time.RFC3339)}
	err = res.byPoppler(ctx, call, &args, wanted)
	if notConfigured(err) {
		err = res.byParser(ctx, call, &args, wanted)
	}
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(res.Text) == "" && !res.Truncated {
		res.warnf("The pages hold no text; they may be scanned images, which need character recognition.")
	}
	return res, nil
}

// byPoppler fills the result with the help of poppler's programs.
func (r *readPDFResult) byPoppler(ctx context.Context, call *tool.Call, args *readPDFArgs, wanted []span) error {
	if _, err := call.Programs.Find("pdftotext"); err != nil {
		return err
	}
	f, err := popplerFacts(ctx, call, args.Path)
	if err != nil {
		return err
	}
	chosen, err := r.about(f, wanted)
	if err != nil {
		return err
	}
	text, err := popplerText(ctx, call, args.Path, chosen, false)
	if err != nil {
		return err
	}
	r.put(text)
	if args.ExtractTables {
		if text, err = popplerText(ctx, call, args.Path, chosen, true); err != nil {
			return err
		}
		r.putTables(text)
	}
	if args.ExtractImages {
		r.Images, r.ImageCount, err = popplerPictures(ctx, call, args.Path, chosen)
		if notConfigured(err) {
			r.notef(noPictures)
			return nil
		}
		if err != nil {
			return err
		}
		r.notef("%d image(s) were found; to learn what one shows, look at it with analyze_image.", r.ImageCount)
	}
	return nil
}

// byParser fills the result on a worker without poppler.
func (r *readPDFResult) byParser(ctx context.Context, call *tool.Call, args *readPDFArgs, wanted []span) error {
	doc, err := open(ctx, call, args.Path)
	if err != nil {
		return err
	}
	chosen, err := r.about(factsOf(doc), wanted)
	if err != nil {
		return err
	}
	text, err := doc.Text(ctx, maxText, func(page int) bool { return contains(chosen, page) })
	if err != nil {
		return err
	}
	r.put(text)
	if args.ExtractTables {
		r.putTables(text)
	}
	r.warnf("The text was read without pdftotext, which keeps more of the layout; an operator can install the package poppler-utils.")
	if args.ExtractImages {
		r.notef(noPictures)
	}
	return nil
}

// about fills in the facts about the whole document, and returns the pages to read.
func (r *readPDFResult) about(f *facts, wanted []span) ([]span, error) {
	chosen, err := choose(wanted, f.pages)
	if err != nil {
		return nil, err
	}
	r.PageCount, r.Info, r.Metadata, r.Pages = f.pages, f.info, f.meta, spell(chosen)
	return chosen, nil
}

func (r *readPDFResult) put(text *pdftext.Text) {
	r.Text, r.Truncated = strings.Join(text.Pages, "\n\n"), text.Cut
	if text.Cut {
		r.warnf("The text is longer than %d bytes and was cut; read fewer pages at a time.", maxText)
	}
	if n := strings.Count(r.Text, pdftext.Unknown); n > 0 {
		r.warnf("%d of %d characters are unknown, because the document does not say which they are; they are shown as %s.",
			n, utf8.RuneCountInString(r.Text), pdftext.Unknown)
	}
}

func (r *readPDFResult) putTables(text *pdftext.Text) {
	var cut bool
	if r.Tables, cut = findTables(text); cut {
		r.notef("There are more tables than are shown; read fewer pages at a time.")
	}
	r.notef("%d table(s) were found by how the text is laid out.", len(r.Tables))
}

func (r *readPDFResult) notef(format string, args ...any) {
	r.Note = strings.TrimSpace(r.Note + " " + fmt.Sprintf(format, args...))
}

func (r *readPDFResult) warnf(format string, args ...any) {
	r.Warning = strings.TrimSpace(r.Warning + " " + fmt.Sprintf(format, args...))
}

// Present shows the text, and what a model must know about it.
func (r *readPDFResult) Present(res *tool.Result) {
	res.Text = r.Text
	res.Truncated = r.Truncated
	for _, line := range []string{r.Note, r.Warning} {
		if line != "" {
			res.Text += "\n\n[" + line + "]"
		}
	}
}
