package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/tool"
)

const (
	rowsUsual = 1_000_000
	rowsUsers = 1_000
	rowsBatch = 1_000
	rowsSeed  = 17
)

// errand is a document of the scenario: a task, with indexed and other fields.
type errand struct {
	Title    string `json:"title" store:"search"`
	Category string `json:"category" store:"index"`
	Due      string `json:"due" store:"index"`
	Done     bool   `json:"done"`
}

var (
	errands     = tool.NewCollection[errand]("errands")
	errandWords = []string{
		"buy", "milk", "bread", "call", "the", "bank", "pay", "rent", "water", "plants", "book", "a", "table", "fix", "bike", "send", "report",
	}
)

// rows fills a store with the data of many users, and measures reads of single users.
func rows(ctx context.Context, f *fleet, s *Sheet) (err error) {
	dir, err := os.MkdirTemp("", "helve-rows-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := store.Open(ctx, store.Options{Dir: dir, URL: f.opts.Store})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	random := rand.New(rand.NewPCG(rowsSeed, rowsSeed))
	total := f.calls(rowsUsual)
	began := time.Now()
	for done := 0; done < total; done += rowsBatch {
		if err := fill(ctx, db, random, done); err != nil {
			return err
		}
	}
	s.put("rows", float64(total), fmt.Sprintf("documents of %d users", rowsUsers))
	s.put("fill_rate", float64(total)/time.Since(began).Seconds(), fmt.Sprintf("documents a second, %d in each commit", rowsBatch))
	for _, q := range []struct {
		name, about string
		query       func() tool.Query
	}{
		{"list", "the 20 newest and their number", func() tool.Query { return tool.Query{Limit: 20, Total: true} }},
		{"filter", "20 of a category, an indexed field, and their number", func() tool.Query {
			return tool.Query{Where: []tool.Condition{tool.Where("category", tool.Equal, category(random))}, Limit: 20, Total: true}
		}},
		{"scan", "20 that are done, a field without an index, and their number", func() tool.Query {
			return tool.Query{Where: []tool.Condition{tool.Where("done", tool.Equal, true)}, Limit: 20, Total: true}
		}},
		{"order", "the 20 that are due first, an indexed field", func() tool.Query {
			return tool.Query{Order: []tool.Order{{Field: "due"}}, Limit: 20}
		}},
		{"search", "20 with two words", func() tool.Query {
			return tool.Query{Text: errandWords[random.IntN(len(errandWords))] + " " + errandWords[random.IntN(len(errandWords))], Limit: 20}
		}},
	} {
		var h histogram
		for end := time.Now().Add(f.opts.Time); time.Now().Before(end); {
			start := time.Now()
			if _, err := errands.Query(ctx, db.For("acme", user(random), "", 1), q.query()); err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
			h.add(time.Since(start))
		}
		s.put(q.name+"_p50_ms", h.quantile(0.5)/1e3, q.about)
		s.put(q.name+"_p99_ms", h.quantile(0.99)/1e3, q.about)
	}
	return nil
}

func user(r *rand.Rand) string     { return fmt.Sprint("user", r.IntN(rowsUsers)) }
func category(r *rand.Rand) string { return fmt.Sprint("category", r.IntN(20)) }

// fill stores documents of one user in a commit, those of each user once before any twice.
func fill(ctx context.Context, db *store.Store, r *rand.Rand, done int) error {
	u := db.For("acme", user(r), fmt.Sprint("fill-", done), 1)
	if n := done / rowsBatch; n < rowsUsers {
		u = db.For("acme", fmt.Sprint("user", n), fmt.Sprint("fill-", done), 1)
	}
	for range rowsBatch {
		e := errand{
			Title: fmt.Sprint(errandWords[r.IntN(len(errandWords))], " ", errandWords[r.IntN(len(errandWords))], " ",
				errandWords[r.IntN(len(errandWords))], " ", r.IntN(1000)),
			Due: fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)), Category: category(r), Done: r.IntN(3) == 0,
		}
		if _, err := errands.Insert(ctx, u, e); err != nil {
			return err
		}
	}
	_, err := u.Commit(ctx, tool.Result{Value: []byte("null")})
	return err
}
