package personaldata

import (
	"encoding/json"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/tools/personal/bookmarks"
	"github.com/helve-dev/helve/internal/tools/personal/scheduler"
	"github.com/helve-dev/helve/tool"
)

// checked holds an item of a file to the rules of the tool that would have stored it: a file
// can come from anybody, and must not store what no tool stores.
func checked(item *store.Item) (err error) {
	switch item.Collection {
	case bookmarks.Collection.Shape().Name:
		var v bookmarks.Bookmark
		if json.Unmarshal(item.Doc, &v) != nil {
			return tool.Fail(tool.ValidationError, "the bookmark %.80s is none that was exported", item.ID)
		}
		_, err = bookmarks.Input{
			URL:         v.URL,
			Title:       v.Title,
			Description: v.Description,
			Category:    v.Category,
			Tags:        v.Tags,
			IsFavorite:  v.IsFavorite,
		}.Bookmark()
	case scheduler.Collection():
		item.Doc, err = scheduler.Imported(item.Doc)
	}
	return err
}
