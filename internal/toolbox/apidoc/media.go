package apidoc

import (
	"mime"
	"slices"
	"strings"
)

// plain are the media types outside text/ whose contents are text.
var plain = []string{
	"application/graphql", "application/javascript", "application/jsonl", "application/ndjson", "application/sql", "application/toml",
	"application/x-ndjson", "application/x-www-form-urlencoded", "application/x-yaml", "application/xml", "application/yaml",
}

// mediaType returns a media type without its parameters, in lower case.
func mediaType(media string) string {
	name, _, err := mime.ParseMediaType(media)
	if err != nil {
		name, _, _ = strings.Cut(media, ";")
		name = strings.ToLower(strings.TrimSpace(name))
	}
	return name
}

// IsText reports whether the contents of a media type are text.
func IsText(media string) bool {
	media = mediaType(media)
	_, suffix, _ := strings.Cut(media, "+")
	return media == "*/*" || IsJSON(media) || strings.HasPrefix(media, "text/") || slices.Contains(plain, media) || suffix == "xml" ||
		suffix == "yaml"
}

// IsJSON reports whether the contents of a media type are JSON.
func IsJSON(media string) bool {
	media = mediaType(media)
	return media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json")
}
