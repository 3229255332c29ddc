// Package mediatype returns the media type of a file by its name.
//
// The table is part of the program, so that every worker and dispatcher returns the same
// type whatever the host has installed. A type of text carries its character set.
package mediatype

import (
	"path"
	"strings"
)

// Unknown is the media type of a file whose name ends in no known extension.
const Unknown = "application/octet-stream"

// ByName returns the media type of the file with this path, or [Unknown].
func ByName(name string) string {
	if media := types[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]; media != "" {
		return media
	}
	return Unknown
}

var types = map[string]string{
	"aac":   "audio/aac",
	"avif":  "image/avif",
	"bmp":   "image/bmp",
	"bz2":   "application/x-bzip2",
	"css":   "text/css; charset=utf-8",
	"csv":   "text/csv; charset=utf-8",
	"doc":   "application/msword",
	"docx":  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"eml":   "message/rfc822",
	"epub":  "application/epub+zip",
	"flac":  "audio/flac",
	"gif":   "image/gif",
	"gz":    "application/gzip",
	"heic":  "image/heic",
	"htm":   "text/html; charset=utf-8",
	"html":  "text/html; charset=utf-8",
	"ics":   "text/calendar; charset=utf-8",
	"jpeg":  "image/jpeg",
	"jpg":   "image/jpeg",
	"js":    "text/javascript; charset=utf-8",
	"json":  "application/json",
	"jsonl": "application/jsonl",
	"log":   "text/plain; charset=utf-8",
	"m4a":   "audio/mp4",
	"md":    "text/markdown; charset=utf-8",
	"mp3":   "audio/mpeg",
	"mp4":   "video/mp4",
	"odp":   "application/vnd.oasis.opendocument.presentation",
	"ods":   "application/vnd.oasis.opendocument.spreadsheet",
	"odt":   "application/vnd.oasis.opendocument.text",
	"ogg":   "audio/ogg",
	"opus":  "audio/ogg",
	"pcm":   "audio/pcm",
	"pdf":   "application/pdf",
	"png":   "image/png",
	"ppt":   "application/vnd.ms-powerpoint",
	"pptx":  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"rtf":   "application/rtf",
	"svg":   "image/svg+xml",
	"tar":   "application/x-tar",
	"tif":   "image/tiff",
	"tiff":  "image/tiff",
	"tsv":   "text/tab-separated-values; charset=utf-8",
	"txt":   "text/plain; charset=utf-8",
	"vcf":   "text/vcard; charset=utf-8",
	"wav":   "audio/wav",
	"webm":  "video/webm",
	"webp":  "image/webp",
	"xls":   "application/vnd.ms-excel",
	"xlsx":  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"xml":   "application/xml",
	"yaml":  "application/yaml",
	"yml":   "application/yaml",
	"zip":   "application/zip",
}
