// Package bookmarks holds the tools for addresses that a person keeps.
package bookmarks

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Bookmarks", "bookmarks")

const timeout = 30 * time.Second

// Bookmark is a bookmark in the store.
type Bookmark struct {
	URL         string   `json:"url" store:"search"`
	Title       string   `json:"title" store:"search"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty" store:"index"`
	Tags        []string `json:"tags,omitempty"`
	IsFavorite  bool     `json:"isFavorite,omitempty" store:"index"`
	VisitCount  int      `json:"visitCount,omitempty"`
}

// Collection holds the bookmarks of a person.
var Collection = tool.NewCollection[Bookmark]("bookmarks")

// view is a bookmark as a model sees it.
type view struct {
	ID          string   `json:"id" doc:"For the bookmarkId of delete_bookmark."`
	URL         string   `json:"url"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags"`
	IsFavorite  bool     `json:"isFavorite"`
	VisitCount  int      `json:"visitCount"`
	CreatedAt   string   `json:"createdAt"`
	UpdatedAt   string   `json:"updatedAt"`
}

func show(r tool.Record[Bookmark]) view {
	v := r.Value
	return view{
		ID: r.ID, URL: v.URL, Title: v.Title, Description: v.Description, Category: v.Category, Tags: append([]string{}, v.Tags...),
		IsFavorite: v.IsFavorite, VisitCount: v.VisitCount, CreatedAt: r.CreatedAt.Format(time.RFC3339),
		UpdatedAt: r.UpdatedAt.Format(time.RFC3339),
	}
}

// Input is a new bookmark.
type Input struct {
	URL         string   `json:"url" doc:"The full address, such as https://example.com/page." min:"1" max:"16384"`
	Title       string   `json:"title,omitempty" doc:"The title; without one the title of the page is used, or its host if the page cannot be read."`
	Description string   `json:"description,omitempty" doc:"What the page is about, or why it is kept."`
	Category    string   `json:"category,omitempty" doc:"A category, such as reading or recipes."`
	Tags        []string `json:"tags,omitempty" doc:"Tags to sort it by." max:"100"`
	IsFavorite  bool     `json:"isFavorite,omitempty" doc:"Whether it is a favorite."`
}

const maxURL = 16384

// unsafe lists schemes of addresses that run code where they are opened.
var unsafe = []string{"javascript", "vbscript", "data"}

// Bookmark returns the bookmark to store, or what is wrong with the input. The title
// may be blank.
func (in Input) Bookmark() (Bookmark, error) {
	v := Bookmark{
		URL:         strings.TrimSpace(in.URL),
		Title:       in.Title,
		Description: in.Description,
		Category:    in.Category,
		IsFavorite:  in.IsFavorite,
	}
	if err := entry.Required("url", in.URL); err != nil {
		return v, err
	}
	address, err := url.Parse(v.URL)
	switch {
	case err != nil, !address.IsAbs(), address.Host == "" && address.Opaque == "" && address.Path == "", len(v.URL) > maxURL:
		return v, tool.Fail(tool.ValidationError,
			"url is not a full address of at most %d characters; write it with its scheme, such as https://example.com/page", maxURL).Because(err)
	case (address.Scheme == "http" || address.Scheme == "https") && address.Hostname() == "":
		return v, tool.Fail(tool.ValidationError, "url has no host; write it in full, such as https://example.com/page")
	case slices.Contains(unsafe, address.Scheme):
		return v, tool.Fail(tool.ValidationError,
			"url begins with %s:, which is code and not a page; give the address of a page, such as https://example.com/page", address.Scheme)
	}
	if v.Tags, err = entry.Tags("tags", in.Tags); err != nil {
		return v, err
	}
	return v, entry.Fit(entry.Text{Name: "title", Value: in.Title}, entry.Text{Name: "description", Value: in.Description}, entry.Text{
		Name: "category", Value: in.Category,
	})
}

// find returns a bookmark by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[Bookmark], error) {
	r, err := Collection.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Bookmark not found: %s; list_bookmarks shows the bookmarks with their ids", id)
	}
	return r, err
}
