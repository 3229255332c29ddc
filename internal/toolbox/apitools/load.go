package apitools

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// document is an item of the file with the offers that were made of it.
type document struct {
	api      API
	sum      [sha256.Size]byte // of the text
	offers   []*offer
	problems []Problem
}

const (
	maxReason  = 500 // bytes of the reason of a problem
	maxLeftOut = 20  // operations that are named as left out
	readers    = 2   // documents that are read concurrently
	// seeTime bounds the look-ups of accepted definitions, for all documents, and seeWriters
	// is the number of concurrent ones.
	seeTime    = 20 * time.Second
	seeWriters = 16
)

// problem returns a problem of the document, or of one of its operations.
func (d *document) problem(operation, reason string) Problem {
	if operation != "" {
		reason = foreign.Text(operation, maxShownName) + ": " + reason
	}
	return Problem{File: d.api.shownFile(), Entry: d.api.entry, API: d.api.Name, Reason: foreign.Text(reason, maxReason)}
}

// load reads the file and the documents that have changed, and returns the fingerprint of
// what it read. The error concerns the file as a whole, and leaves everything as it was.
func (p *Pool) load(ctx context.Context) (seen string, err error) {
	p.mu.Lock()
	before, paths := map[string]*document{}, p.paths
	for _, d := range p.docs {
		before[d.api.Name] = d
	}
	p.mu.Unlock()
	seen = describe(p.o.File) // before it is read: a later change is another one
	apis, problems, err := Read(p.o.File)
	if err != nil {
		return seen + describe(paths...), err
	}
	paths = make([]string, len(apis))
	for i, api := range apis {
		paths[i] = p.path(api)
	}
	seen += describe(paths...)
	docs := make([]*document, len(apis))
	reading, _ := gopool.WithContext(ctx, readers)
	for i := range apis {
		reading.Go(func() error {
			docs[i] = p.read(apis[i], before[apis[i].Name])
			return nil
		})
	}
	_ = reading.Wait() // each document has its own problems
	byName := distinct(docs)
	unseen := p.see(ctx, docs)
	p.mu.Lock()
	p.docs, p.problems, p.paths, p.byName, p.unseen = docs, problems, paths, byName, unseen
	p.mu.Unlock()
	p.changed()
	return seen, nil
}

// distinct returns all offers by name. A document with a name that one before it has, as b_c
// of a and c of a_b, is refused: its definition of the tool would withhold that of the other.
func distinct(docs []*document) map[string]*offer {
	byName := map[string]*offer{}
	for i, d := range docs {
		for _, o := range d.offers {
			if other := byName[o.def.Name]; other != nil {
				clash := d.api.Clash(o.def.Name, fmt.Errorf("it is a tool of the API %s", other.api.Name))
				d = &document{api: d.api, problems: append(slices.Clip(d.problems), clash)} // without offers it is read again
				docs[i] = d
				break
			}
		}
		for _, o := range d.offers {
			byName[o.def.Name] = o
		}
	}
	return byName
}

// read makes the offers of a document, or returns before if neither its text nor its
// settings have changed.
func (p *Pool) read(api API, before *document) *document {
	d := &document{api: api}
	text, err := readFile(p.path(api), apidoc.MaxBytes)
	if err == nil {
		d.sum = sha256.Sum256(text)
		if before != nil && before.sum == d.sum && len(before.offers) > 0 && reflect.DeepEqual(before.api, api) {
			return before
		}
		err = d.fill(text, p.o.Home)
	}
	if err != nil {
		d.offers = nil
		reason := "the document is refused: " + err.Error()
		if before != nil && len(before.offers) > 0 && reflect.DeepEqual(before.api, api) && !errors.Is(err, errNothing) {
			d.offers = before.offers
			reason += "; its tools stay as they were read before"
		}
		d.problems = append(d.problems, d.problem("", reason))
	}
	for _, problem := range d.problems {
		p.o.Log.Warn("API document not usable as it is",
			zap.String("api", api.Name), zap.String("document", api.Document), zap.String("reason", problem.Reason))
	}
	return d
}

// path returns where a document lies: a relative path is relative to the file.
func (p *Pool) path(api API) string {
	if filepath.IsAbs(api.Document) {
		return api.Document
	}
	return filepath.Join(filepath.Dir(p.o.File), api.Document)
}

var errNothing = errors.New("it has no operation that include and exclude leave")

// fill makes the offers of a document. The error refuses it.
func (d *document) fill(text []byte, pool string) error {
	doc, err := apidoc.Read(text, d.api.offers)
	if err != nil {
		return err
	}
	home, err := d.api.home(doc)
	if err != nil {
		return err
	}
	ids := make([]string, len(doc.Operations))
	for i, op := range doc.Operations {
		ids[i] = op.ID
	}
	named := map[string]string{}
	for i, name := range d.api.names(ids) {
		var o *offer
		var err error
		if other, taken := named[name]; taken { // somebody has made two hashes equal
			err = fmt.Errorf("its tool would have the name of that of %.80q", other)
		} else {
			named[name] = ids[i]
			o, err = d.api.offer(doc, doc.Operations[i], home, name, pool)
		}
		if err != nil {
			doc.LeftOut = append(doc.LeftOut, apidoc.LeftOut{Operation: ids[i], Reason: err.Error()})
			continue
		}
		d.offers = append(d.offers, o)
	}
	d.leftOut(doc.LeftOut)
	if len(ids) == 0 && len(d.problems) == 0 {
		return errNothing
	}
	for _, id := range slices.Sorted(maps.Keys(d.api.Risk)) {
		if !slices.Contains(ids, id) {
			d.problems = append(d.problems, d.problem(id, "risk names it, and the document offers no such operation"))
		}
	}
	for _, scheme := range slices.Sorted(maps.Keys(d.api.Service.ByScheme)) {
		if _, there := doc.Schemes[scheme]; !there {
			d.problems = append(d.problems,
				d.problem("", fmt.Sprintf("service names the security scheme %.80q, which the document does not have", scheme)))
		}
	}
	return nil
}

// leftOut reports operations that cannot be called.
func (d *document) leftOut(list []apidoc.LeftOut) {
	for _, l := range list[:min(len(list), maxLeftOut)] {
		d.problems = append(d.problems, d.problem(l.Operation, "the operation is left out: "+l.Reason))
	}
	if n := len(list) - maxLeftOut; n > 0 {
		d.problems = append(d.problems, d.problem("", fmt.Sprintf("%d more operations are left out", n)))
	}
}

// see compares all offers with their approvals, and reports whether one could not be
// compared.
func (p *Pool) see(ctx context.Context, docs []*document) (unseen bool) {
	bounded, cancel := context.WithTimeout(ctx, seeTime)
	defer cancel()
	g, bounded := gopool.WithContext(bounded, seeWriters)
	for _, d := range docs {
		for _, o := range d.offers {
			if p.approvals.Of(o.def.Name).Open(o.hash) {
				continue
			}
			g.Go(func() error {
				_, err := p.approvals.See(bounded, o.pinned())
				return err
			})
		}
	}
	err := g.Wait()
	if err != nil && ctx.Err() == nil {
		p.o.Log.Warn("accepted definitions of API tools not known; they are withheld", zap.Error(err))
	}
	return err != nil
}

// Clash returns the problem of a document that is refused because another tool has the name
// of one of its tools.
func (a *API) Clash(name string, why error) Problem {
	d := document{api: *a}
	return d.problem("", fmt.Sprintf(
		"the document is refused: the name of its tool %s clashes with another tool; give the item another name, or exclude the operation: %v",
		name, why,
	))
}
