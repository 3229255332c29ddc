package pdf

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"time"

	"github.com/helve-dev/helve/tool"
)

type createPDFArgs struct {
	OutputPath string   `json:"outputPath" alias:"path" min:"1" doc:"File to write, relative to the workspace, such as report.pdf; a file of that name is replaced."`
	Content    string   `json:"content" doc:"What the document says, in the format given."`
	Format     string   `json:"format" enum:"text,html,markdown" default:"text" doc:"What content is: text is set as it stands; markdown and html get headings, lists, tables, links and code. Images are not fetched."`
	Title      string   `json:"title,omitempty" doc:"Title in the document's properties; it is not printed."`
	Author     string   `json:"author,omitempty" doc:"Author in the document's properties."`
	PageSize   string   `json:"pageSize" enum:"A4,Letter,Legal" default:"A4" doc:"Size of the pages."`
	Margins    *margins `json:"margins,omitempty" doc:"Margins in points of 1/72 inch; 54 where nothing is said."`
}

type margins struct {
	Top    *float64 `json:"top,omitempty" min:"0" max:"500"`
	Right  *float64 `json:"right,omitempty" min:"0" max:"500"`
	Bottom *float64 `json:"bottom,omitempty" min:"0" max:"500"`
	Left   *float64 `json:"left,omitempty" min:"0" max:"500"`
}

type createPDFResult struct {
	Success   bool   `json:"success"`
	Path      string `json:"path"`
	Size      int64  `json:"size" doc:"Size of the file in bytes."`
	PageSize  string `json:"pageSize"`
	PageCount int    `json:"pageCount"`
	Title     string `json:"title,omitempty"`
	Author    string `json:"author,omitempty"`
	Warning   string `json:"warning,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[createPDFArgs, *createPDFResult]{
	Name:        "create_pdf",
	Description: "Make a PDF document of text, Markdown or HTML and write it to the workspace; returns its path, size and page count.",
	Tags: []string{
		"create pdf", "document create", "report", "write pdf", "export", "markdown to pdf", "html to pdf", "print", "letter",
	},
	Risk:       tool.Low,
	Mutates:    true,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedFonts,
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.Unsupported, tool.ExecutionError},
	Example:    `{"outputPath": "summary.pdf", "format": "markdown", "content": "# Summary\n\n- first point\n- second point", "title": "Summary"}`,
	Timeout:    time.Minute,
	Check: func(_ context.Context, _ *tool.Call, args createPDFArgs) error {
		_, err := layoutOf(&args)
		return err
	},
	Changes: func(_ context.Context, _ *tool.Call, args createPDFArgs) ([]tool.Change, error) {
		return tool.Replaces(args.OutputPath), nil
	},
	Run: createPDF,
})

// layout holds the paper size and margins, in points.
type layout struct {
	size                     string
	top, right, bottom, left float64
}

// layoutOf checks the margins against the paper.
func layoutOf(args *createPDFArgs) (layout, error) {
	const usual, least = 54, 72
	l := layout{args.PageSize, usual, usual, usual, usual}
	if m := args.Margins; m != nil {
		for to, from := range map[*float64]*float64{&l.top: m.Top, &l.right: m.Right, &l.bottom: m.Bottom, &l.left: m.Left} {
			if from != nil {
				*to = *from
			}
		}
	}
	paper := map[string][2]float64{"A4": {595.28, 841.89}, "Letter": {612, 792}, "Legal": {612, 1008}}[args.PageSize]
	if paper[0]-l.left-l.right < least || paper[1]-l.top-l.bottom < least {
		return l, tool.Fail(tool.ValidationError, "The margins leave less than %d points of a %s page, which has %v×%v; make them smaller.",
			least, args.PageSize, paper[0], paper[1])
	}
	return l, nil
}

func createPDF(ctx context.Context, call *tool.Call, args createPDFArgs) (*createPDFResult, error) {
	l, err := layoutOf(&args)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(ctx, l, call.Fonts, args.Content)
	if err != nil {
		return nil, err
	}
	if err := w.compose(args.Format, args.Content); err != nil {
		return nil, err
	}
	if err := cmp.Or(w.glyphs.failed, w.glyphs.verdict()); err != nil {
		return nil, err
	}
	w.embedded.finish(w.pdf)
	if note := w.glyphs.note(); note != "" {
		call.Note("%s", note)
	}
	now := call.Clock.Now().UTC()
	w.pdf.SetCreationDate(now)
	w.pdf.SetModificationDate(now)
	w.pdf.SetProducer("Helve", true)
	// fpdf itself writes no characters beyond U+FFFF.
	w.pdf.SetTitle(toUTF16(args.Title), false)
	w.pdf.SetAuthor(toUTF16(args.Author), false)
	var out bytes.Buffer
	if err := w.pdf.Output(&out); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "The PDF could not be made of this content; simplify it.").Because(err)
	}
	if err := call.Files.MkdirAll(path.Dir(args.OutputPath)); err != nil {
		return nil, err
	}
	size, err := call.Files.Write(args.OutputPath, &out)
	if err != nil {
		return nil, err
	}
	return &createPDFResult{
		Success: true, Path: args.OutputPath, Size: size, PageSize: args.PageSize, PageCount: w.pdf.PageCount(),
		Title: args.Title, Author: args.Author, Warning: w.glyphs.warning(),
	}, nil
}

// Present describes the created file.
func (r *createPDFResult) Present(res *tool.Result) {
	res.Text = fmt.Sprintf("Wrote %s: %d page(s) %s, %d bytes.", r.Path, r.PageCount, r.PageSize, r.Size)
	if r.Warning != "" {
		res.Text += " " + r.Warning
	}
}
