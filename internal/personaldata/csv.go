package personaldata

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/tool"
)

// fixed are the first columns. The others are the fields of all documents.
var fixed = []string{"_collection", "_id", "_created_at", "_updated_at", "_search"}

// asJSON ends the name of a column whose cells are JSON, because not all of its values
// are texts.
const asJSON = ":json"

// expenses is the collection that a file of CSV holds: a table has rows of one kind.
const expenses = "expenses"

// writeCSV writes the expenses. It reads the items twice, for the columns and for the rows.
func writeCSV(w io.Writer, all Items) error {
	items := func(each func(*store.Item) error) error {
		return all(func(item *store.Item) error {
			if item.Collection != expenses {
				return nil
			}
			return each(item)
		})
	}
	plain := map[string]bool{} // by field
	err := items(func(item *store.Item) error {
		members, err := membersOf(item)
		for field, raw := range members {
			was, known := plain[field]
			text, ok := textOf(raw)
			plain[field] = (was || !known) && ok && text != "" && !strings.Contains(text, "\r") // which a reader of CSV may change
		}
		return err
	})
	if err != nil {
		return err
	}
	fields := slices.Sorted(maps.Keys(plain))
	out := csv.NewWriter(w)
	header := slices.Clone(fixed)
	for _, field := range fields {
		if !plain[field] {
			field += asJSON
		}
		header = append(header, field)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	err = items(func(item *store.Item) error {
		members, err := membersOf(item)
		if err != nil {
			return err
		}
		row := []string{
			item.Collection, item.ID, item.CreatedAt.Format(time.RFC3339Nano), item.UpdatedAt.Format(time.RFC3339Nano),
			strings.Join(item.Search, " "),
		}
		for _, field := range fields {
			cell := string(members[field])
			if plain[field] {
				cell, _ = textOf(members[field])
			}
			row = append(row, guard(cell))
		}
		return out.Write(row)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func membersOf(item *store.Item) (members map[string]json.RawMessage, err error) {
	return members, json.Unmarshal(item.Doc, &members)
}

func textOf(raw json.RawMessage) (text string, ok bool) {
	return text, len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
}

// formula begins cells that a spreadsheet would run, and guarded ones.
const formula = "=+-@\t'"

// guard puts an apostrophe before a cell that a spreadsheet would run.
func guard(cell string) string {
	if cell != "" && strings.ContainsRune(formula, rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func readCSV(r io.Reader, to receiver) error {
	buffered := bufio.NewReader(r)
	if begin, err := buffered.Peek(3); err == nil && string(begin) == "\ufeff" {
		_, _ = buffered.Discard(len(begin))
	}
	in := csv.NewReader(buffered)
	header, err := in.Read()
	if err != nil || len(header) < len(fixed) || !slices.Equal(header[:len(fixed)], fixed) {
		return errors.Join(fmt.Errorf("the first row must begin with %s", strings.Join(fixed, ",")), err)
	}
	header = slices.Clone(header)
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			to.skip(bad.StartLine, "", bad.Err)
			continue
		}
		if err != nil {
			return err
		}
		n, _ := in.FieldPos(0)
		item, err := itemOfRow(header, row)
		if err != nil {
			to.skip(n, row[1], err)
			continue
		}
		if err := to.item(n, item.ID, item); err != nil {
			return err
		}
	}
}

func itemOfRow(header, row []string) (*store.Item, error) {
	item := &store.Item{Collection: row[0], Row: tool.Row{ID: row[1]}, Search: strings.Fields(row[4])}
	for i, at := range []*time.Time{&item.CreatedAt, &item.UpdatedAt} {
		if text := row[2+i]; text != "" {
			var err error
			if *at, err = time.Parse(time.RFC3339Nano, text); err != nil {
				return nil, err
			}
		}
	}
	doc := map[string]json.RawMessage{}
	for i := len(fixed); i < len(row); i++ {
		cell, _ := strings.CutPrefix(row[i], "'")
		field, raw := strings.CutSuffix(header[i], asJSON)
		switch {
		case cell == "":
			continue
		case raw:
			doc[field] = json.RawMessage(cell)
			continue
		}
		text, err := json.Marshal(cell)
		if err != nil {
			return nil, err
		}
		doc[field] = text
	}
	var err error
	item.Doc, err = json.Marshal(doc)
	return item, err
}
