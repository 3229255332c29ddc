package mailbox

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxSearched bounds the folders that one search looks into.
	maxSearched = 200
	// maxExamined bounds the mails whose structure is looked at, newest first, for what a
	// server cannot search.
	maxExamined = 500
	// maxWords bounds the words of a search.
	maxWords = 20
)

// Query selects mails. What is not set does not matter.
type Query struct {
	// Text is words that must all be in the mail, texts in double quotes as they are, or a
	// Message-ID.
	Text          string
	From, Subject string
	// Since is the first day, Before the day after the last, by the time of arrival.
	Since, Before time.Time
	Unread        bool
	// Starred selects mails that are flagged, or are not.
	Starred *bool
	// Files selects mails with files, or without.
	Files *bool
	// Limit is the most mails that are returned.
	Limit int
}

// Found is the answer to a Query.
type Found struct {
	Mails []Summary
	// Total is the number of mails that match; with Query.Files, of those that were examined.
	Total int
	// More is set if there are more than Mails.
	More bool
}

// hit is a mail that matches.
type hit struct {
	folder string
	uid    imap.UID
	at     time.Time
}

// Search returns the newest mails of a folder that match. Without a folder it searches all.
func (s *Session) Search(folder string, q *Query) (*Found, error) {
	var folders []string
	var err error
	if folder == "" {
		folders, err = s.everywhere()
	} else if folder, err = s.Find(folder); err == nil {
		folders = []string{folder}
	}
	if err != nil {
		return nil, err
	}
	found := &Found{Mails: []Summary{}, More: len(folders) > maxSearched}
	var hits []hit
	for _, name := range folders[:min(len(folders), maxSearched)] {
		some, err := s.searchOne(name, q, found, len(folders) > 1)
		if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound && len(folders) > 1 {
			continue // it was deleted meanwhile, or may not be opened
		}
		if err != nil {
			return nil, err
		}
		hits = append(hits, some...)
	}
	if len(folders) > 1 {
		slices.SortStableFunc(hits, func(a, b hit) int { return b.at.Compare(a.at) })
	}
	if len(hits) > q.Limit {
		hits, found.More = hits[:q.Limit], true
	}
	found.More = found.More || found.Total > len(hits)
	return found, s.summarize(hits, found)
}

// searchOne returns the newest matches in one folder, and counts them.
func (s *Session) searchOne(folder string, q *Query, found *Found, dated bool) ([]hit, error) {
	if err := s.choose(folder, false); err != nil {
		return nil, err
	}
	var options *imap.SearchOptions
	if caps := s.client.Caps(); caps.Has(imap.CapESearch) || caps.Has(imap.CapIMAP4rev2) {
		options = &imap.SearchOptions{ReturnAll: true}
	}
	data, err := s.client.UIDSearch(q.criteria(), options).Wait()
	if err != nil {
		return nil, s.explain(err)
	}
	set, _ := data.All.(imap.UIDSet)
	total := count(set)
	if q.Files == nil {
		found.Total += total
		hits := asHits(folder, newest(set, q.Limit))
		if !dated || len(hits) == 0 {
			return hits, nil
		}
		return s.examine(folder, hits, nil)
	}
	candidates := asHits(folder, newest(set, maxExamined))
	found.More = found.More || total > len(candidates)
	if len(candidates) == 0 {
		return nil, nil
	}
	hits, err := s.examine(folder, candidates, q.Files)
	found.Total += len(hits)
	return hits, err
}

// criteria returns the query in terms of IMAP.
func (q *Query) criteria() *imap.SearchCriteria {
	c := &imap.SearchCriteria{Since: q.Since, Before: q.Before}
	for _, field := range []struct{ name, value string }{{"From", q.From}, {"Subject", q.Subject}} {
		if field.value != "" {
			c.Header = append(c.Header, imap.SearchCriteriaHeaderField{Key: field.name, Value: field.value})
		}
	}
	if q.Unread {
		c.NotFlag = append(c.NotFlag, imap.FlagSeen)
	}
	switch {
	case q.Starred == nil:
	case *q.Starred:
		c.Flag = append(c.Flag, imap.FlagFlagged)
	default:
		c.NotFlag = append(c.NotFlag, imap.FlagFlagged)
	}
	text := strings.TrimSpace(q.Text)
	if isID(text) {
		byID := imap.SearchCriteria{Header: []imap.SearchCriteriaHeaderField{{Key: "Message-ID", Value: text}}}
		c.Or = append(c.Or, [2]imap.SearchCriteria{byID, {Text: []string{text}}})
		return c
	}
	c.Text = terms(text)
	return c
}

// isID reports whether a text may be a Message-ID: servers look for those only in a search of
// the field.
func isID(text string) bool {
	return strings.Contains(text, "@") && !strings.ContainsAny(text, " \t\"")
}

// terms splits a search into words and texts in double quotes.
func terms(text string) []string {
	var all []string
	for i, piece := range strings.Split(text, `"`) {
		words := []string{strings.TrimSpace(piece)}
		if i%2 == 0 {
			words = strings.Fields(piece)
		}
		for _, word := range words {
			if word != "" && len(all) < maxWords {
				all = append(all, word)
			}
		}
	}
	return all
}

// count returns how many UIDs are in a set. A server may claim billions, which are not listed.
func count(set imap.UIDSet) int {
	n := 0
	for _, r := range set {
		if r.Start != 0 && r.Stop >= r.Start {
			n += int(r.Stop-r.Start) + 1
		}
	}
	return n
}

// newest returns the highest UIDs of a set, highest first.
func newest(set imap.UIDSet, most int) []imap.UID {
	var uids []imap.UID
	for _, r := range slices.Backward(set) {
		for uid := r.Stop; uid >= r.Start && r.Start != 0 && len(uids) < most; uid-- {
			uids = append(uids, uid)
		}
	}
	slices.SortFunc(uids, func(a, b imap.UID) int { return cmp.Compare(b, a) })
	return uids
}

func asHits(folder string, uids []imap.UID) []hit {
	hits := make([]hit, len(uids))
	for i, uid := range uids {
		hits[i] = hit{folder: folder, uid: uid}
	}
	return hits
}

// examine reads when mails arrived, and with files set leaves those with files, or without.
func (s *Session) examine(folder string, hits []hit, files *bool) ([]hit, error) {
	options := &imap.FetchOptions{UID: true, InternalDate: true}
	if files != nil {
		options.BodyStructure = &imap.FetchItemBodyStructure{Extended: true}
	}
	seen, err := s.fetch(hits, options)
	if err != nil {
		return nil, err
	}
	var kept []hit
	for _, h := range hits {
		m := seen[h.uid]
		if m == nil || files != nil && hasFiles(m.BodyStructure) != *files {
			continue
		}
		kept = append(kept, hit{folder, h.uid, m.InternalDate})
	}
	return kept, nil
}

var errNoUID = errors.New("the server names mails that were not requested")
