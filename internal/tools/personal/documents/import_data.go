package documents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/personaldata"
	"github.com/helve-dev/helve/internal/tools/personal/calendar"
	"github.com/helve-dev/helve/internal/tools/personal/contacts"
	"github.com/helve-dev/helve/tool"
)

// Limits of one import.
const (
	maxImportSize = 16 << 20
	maxImported   = 5000
	maxProblems   = 100
)

type importDataArgs struct {
	Path string `json:"path" min:"1" doc:"File to import, relative to the workspace: iCalendar (.ics) with events, or vCard (.vcf) with contacts."`
}

type importDataResult struct {
	Message  string          `json:"message"`
	Format   string          `json:"format" enum:"ics,vcf" doc:"Format of the contents, whatever the name says."`
	Added    int             `json:"added" doc:"Events or contacts that were stored."`
	Kept     int             `json:"kept" doc:"Those that were left out, because the same is stored already."`
	Skipped  int             `json:"skipped" doc:"Those that were left out, because they cannot be read."`
	Problems []importProblem `json:"problems,omitempty" doc:"The first hundred that were left out, or are not stored as the file has them."`
}

type importProblem struct {
	Line   int    `json:"line" doc:"Line of the file where it begins, from 1."`
	Item   string `json:"item,omitempty" doc:"Its name, if it has one."`
	Reason string `json:"reason"`
	Stored bool   `json:"stored,omitempty" doc:"Whether it is stored all the same, in the way that reason says."`
}

var _ = tool.Add(Set, tool.Spec[importDataArgs, *importDataResult]{
	Name: "import_data",
	Description: "Import a calendar (.ics) or contacts (.vcf) of another program from a file of the workspace into the person's events or " +
		"contacts; returns how many were added, were there already, or cannot be read and why.",
	Tags:          []string{"import", "calendar", "contacts", "ics", "vcf", "vcard", "icalendar", "address book", "events"},
	Example:       `{"path":"team.vcf"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Transactional: true,
	Scopes:        tool.Scopes{Paths: []string{"workspace"}},
	Needs:         tool.NeedFiles | tool.NeedStore,
	Errors:        []tool.Kind{tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.Unsupported},
	Timeout:       2 * time.Minute,
	Run:           importData,
})

func importData(ctx context.Context, call *tool.Call, args importDataArgs) (*importDataResult, error) {
	f, err := openFile(call, args.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.size > maxImportSize {
		return nil, tool.Fail(tool.FileTooLarge,
			"File is too large (%d bytes). Calendars and contacts are imported up to %d bytes (16MB); split it.", f.size, maxImportSize)
	}
	done, err := beginReading(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	data, err := io.ReadAll(io.NewSectionReader(f, 0, f.size))
	if err != nil {
		return nil, err
	}
	res := &importDataResult{}
	if res.Format, err = importFormat(data); err != nil {
		return nil, err
	}
	docs := map[string][]json.RawMessage{}
	if err := res.read(ctx, data, docs); err != nil {
		return nil, err
	}
	// Of two imports at the same time the second sees what the first has stored.
	if err := call.Store.Touch(ctx, "import_data"); err != nil {
		return nil, err
	}
	err = bring(ctx, call, calendar.Collection, docs, res)
	if err == nil {
		err = bring(ctx, call, contacts.Collection, docs, res)
	}
	if err != nil {
		return nil, err
	}
	res.Message = fmt.Sprintf("Added %d of %d; %d were there already, %d cannot be read.",
		res.Added, res.Added+res.Kept+res.Skipped, res.Kept, res.Skipped)
	return res, nil
}

// importFormat returns the format of a file by its first line.
func importFormat(data []byte) (string, error) {
	head := strings.ToUpper(string(bytes.TrimSpace(bytes.TrimPrefix(data[:min(len(data), 200)], []byte("\uFEFF")))))
	switch {
	case strings.HasPrefix(head, "BEGIN:VCALENDAR"):
		return "ics", nil
	case strings.HasPrefix(head, "BEGIN:VCARD"):
		return "vcf", nil
	}
	return "", tool.Fail(tool.Unsupported,
		"The file is neither iCalendar (BEGIN:VCALENDAR) nor vCard (BEGIN:VCARD); export it again as .ics or .vcf.")
}

// read reads the items of a file, by their collections.
func (r *importDataResult) read(ctx context.Context, data []byte, docs map[string][]json.RawMessage) error {
	count := 0
	err := personaldata.Documents(r.Format, bytes.NewReader(data), func(collection string, doc json.RawMessage) error {
		if count++; count > maxImported {
			return tool.Fail(tool.FileTooLarge, "The file has more than %d events or contacts, and none was stored; split it.", maxImported)
		}
		docs[collection] = append(docs[collection], doc)
		return ctx.Err()
	}, func(p personaldata.Problem) {
		if !p.Stored {
			r.Skipped++
		}
		if len(r.Problems) < maxProblems {
			r.Problems = append(r.Problems, importProblem(p))
		}
	})
	switch _, known := errors.AsType[*tool.Error](err); {
	case ctx.Err() != nil:
		return ctx.Err()
	case known:
		return err
	case err != nil:
		return tool.Fail(tool.ValidationError, "The file cannot be read, and nothing was stored: %.300s.", err.Error()).Because(err)
	case count == 0 && r.Skipped > 0:
		p := r.Problems[0]
		return tool.Fail(tool.ValidationError, "The file has nothing that can be imported, and %d that cannot; the first one, in line %d: %s.",
			r.Skipped, p.Line, p.Reason)
	}
	return nil
}

// bring stores the items of a collection that are not stored already with the same contents.
func bring[T any](
	ctx context.Context, call *tool.Call, c *tool.Collection[T], docs map[string][]json.RawMessage, res *importDataResult,
) error {
	mine := docs[c.Shape().Name]
	if len(mine) == 0 {
		return nil
	}
	sum := func(v T) ([sha256.Size]byte, error) {
		text, err := json.Marshal(v)
		return sha256.Sum256(text), err
	}
	there := map[[sha256.Size]byte]bool{}
	for cursor := ""; ; {
		page, err := c.Query(ctx, call.Store, tool.Query{Limit: tool.MaxPage, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, r := range page.List {
			s, err := sum(r.Value)
			if err != nil {
				return err
			}
			there[s] = true
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	for _, doc := range mine {
		var v T
		if err := json.Unmarshal(doc, &v); err != nil {
			return err
		}
		s, err := sum(v)
		if err != nil {
			return err
		}
		if there[s] {
			res.Kept++
			continue
		}
		there[s] = true
		if _, err := c.Insert(ctx, call.Store, v); err != nil {
			return err
		}
		res.Added++
	}
	return nil
}
