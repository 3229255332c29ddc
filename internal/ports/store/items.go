package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/helve-dev/helve/tool"
)

// Item is a document as it leaves the store of a person and enters one.
type Item struct {
	Collection string
	tool.Row
	// Search lists the fields that full-text search reads.
	Search []string
}

// Items calls each with every document of a person, in the order of collection and id.
// An error from each ends it.
func (s *Store) Items(ctx context.Context, tenant, user string, each func(*Item) error) error {
	p := person{tenant, cmp.Or(user, Nobody)}
	err := s.db.items(ctx, p, func(item *Item, indexed []string) error {
		if item.Collection == touched.Name { // orders calls, and is no data
			return nil
		}
		item.Search = searched(item.Doc, indexed)
		return each(item)
	})
	if errors.Is(err, errAway) {
		return unreachable(err)
	}
	return err
}

// searched returns the fields whose words the search index has.
func searched(doc json.RawMessage, indexed []string) (fields []string) {
	if len(indexed) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(doc, &members) != nil {
		return nil
	}
	have := make(map[string]bool, len(indexed))
	for _, word := range indexed {
		have[word] = true
	}
	for field := range members {
		list := wordsOf(&tool.Shape{Search: []string{field}}, doc)
		if len(list) > 0 && !slices.ContainsFunc(list, func(word string) bool { return !have[word] }) {
			fields = append(fields, field)
		}
	}
	slices.Sort(fields)
	return fields
}

// itemsPage is the number of documents that are read at a time.
const itemsPage = 200

// items implements [database]. It reads pages, so that no transaction lasts as long as
// the reader of the items needs.
func (p *postgresDB) items(ctx context.Context, who person, each func(*Item, []string) error) error {
	var collection, id string
	for {
		var page []*Item
		var indexed [][]string
		err := p.rows(ctx, who, func(scan func(...any) error) error {
			var words []string
			item, err := scanItem(scan, &words)
			page, indexed = append(page, item), append(indexed, words)
			return err
		}, `SELECT collection, id, revision, created, updated, doc::text, coalesce(tsvector_to_array(words), '{}') FROM store_row
WHERE tenant = ? AND person = ? AND (collection, id) > (?, ?) ORDER BY collection, id LIMIT `+itoa(itemsPage), who.tenant, who.name,
			collection, id)
		if err != nil {
			return err
		}
		for i, item := range page {
			if err := each(item, plainWords(indexed[i])); err != nil {
				return err
			}
			collection, id = item.Collection, item.ID
		}
		if len(page) < itemsPage {
			return nil
		}
	}
}

func scanItem(scan func(...any) error, words any) (*Item, error) {
	var item Item
	var created, updated int64
	var doc string
	err := scan(&item.Collection, &item.ID, &item.Revision, &created, &updated, &doc, words)
	item.CreatedAt, item.UpdatedAt, item.Doc = microseconds(created), microseconds(updated), json.RawMessage(doc)
	return &item, err
}
