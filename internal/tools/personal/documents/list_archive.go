package documents

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/archive"
	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

// Limits of a listing.
const (
	listDefault = 1000
	listMax     = 10_000
)

type listArchiveArgs struct {
	Path   string  `json:"path" min:"1" doc:"Archive to look into, relative to the workspace."`
	Offset int     `json:"offset,omitzero" min:"0" doc:"Entries to leave out at the beginning."`
	Limit  float64 `json:"limit,omitzero" doc:"Most entries to return."`
}

type archiveEntry struct {
	Name     string `json:"name" doc:"As the archive has it, with U+FFFD for characters that deceive."`
	Type     string `json:"type" enum:"file,directory,symlink,other"`
	Size     *int64 `json:"size,omitempty" doc:"Bytes that the archive claims it unpacks to; left out where it claims none."`
	Modified string `json:"modified,omitempty"`
	Problem  string `json:"problem,omitempty" doc:"Why extract_archive leaves it out."`
}

type listArchiveResult struct {
	Path      string         `json:"path"`
	Format    string         `json:"format" enum:"zip,tar,tar.gz,tar.bz2,gz,bz2" doc:"Format of the contents, whatever the name says."`
	Entries   []archiveEntry `json:"entries" doc:"In the order of the archive."`
	Count     int            `json:"count" doc:"How many are returned."`
	Total     int            `json:"total" doc:"How many there are."`
	TotalSize int64          `json:"totalSize" doc:"Bytes that the archive claims all of it unpacks to."`
	Truncated bool           `json:"truncated" doc:"Whether there are more after those returned."`
}

var _ = tool.Add(Set, tool.Spec[listArchiveArgs, *listArchiveResult]{
	Name: "list_archive",
	Description: "List what is in a zip or tar archive of the workspace (also tar.gz, tar.bz2, gz, bz2) without unpacking it, " +
		"with types and sizes, and what extract_archive would leave out and why.",
	Tags:       []string{"zip", "tar", "archive", "compressed", "contents", "list", "tar.gz", "gzip"},
	Example:    `{"path":"photos.zip"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Limit:      &tool.Limit{Param: "limit", Max: listMax, Default: listDefault},
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge, tool.Unsupported},
	Timeout:    time.Minute,
	Run:        listArchive,
})

func listArchive(ctx context.Context, call *tool.Call, args listArchiveArgs) (*listArchiveResult, error) {
	limit := calc.ToInt(args.Limit)
	if limit < 1 {
		limit = listDefault
	}
	f, err := openFile(call, args.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	res := &listArchiveResult{Path: args.Path, Entries: []archiveEntry{}}
	res.Format, err = archive.Walk(ctx, f, f.size, args.Path, func(e archive.Entry, _ func() (io.ReadCloser, error)) error {
		res.Total++
		res.TotalSize = plus(res.TotalSize, e.Size)
		if res.Total > args.Offset && len(res.Entries) < min(limit, listMax) {
			res.Entries = append(res.Entries, shownEntry(e))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Entries)
	if res.Truncated = args.Offset+res.Count < res.Total; res.Truncated {
		call.Note("showing entries %d to %d of %d; use offset=%d for the next ones.",
			args.Offset+1, args.Offset+res.Count, res.Total, args.Offset+res.Count)
	}
	return res, nil
}

// plus adds a size that an archive claims, which may be any number.
func plus(sum, size int64) int64 {
	if size > math.MaxInt64-sum {
		return math.MaxInt64
	}
	return sum + max(size, 0)
}

func shownEntry(e archive.Entry) archiveEntry {
	shown := archiveEntry{Name: archive.Shown(e.Name), Type: e.Type, Problem: e.Problem}
	if e.Size >= 0 {
		shown.Size = &e.Size
	}
	if year := e.Modified.UTC().Year(); year > 1979 && year < 10_000 { // the first of a zip file stands for none
		shown.Modified = e.Modified.UTC().Format(time.RFC3339)
	}
	return shown
}

// Present shows the entries, one a line.
func (r *listArchiveResult) Present(res *tool.Result) {
	res.Truncated = r.Truncated
	var w strings.Builder
	fmt.Fprintf(&w, "%s: %s archive, %d entries, %d bytes unpacked\n", r.Path, r.Format, r.Total, r.TotalSize)
	for _, e := range r.Entries {
		size := ""
		if e.Size != nil && e.Type == archive.File {
			size = fmt.Sprintf(" (%d bytes)", *e.Size)
		}
		if e.Problem != "" {
			size += " [not extracted: " + e.Problem + "]"
		}
		fmt.Fprintf(&w, "%s%s\n", e.Name, size)
	}
	res.Text = w.String()
}
