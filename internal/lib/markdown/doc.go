// Package markdown parses GitHub-flavoured Markdown and extracts its plain text.
//
// Parse limits the nesting, the tables and the link definitions, which would otherwise
// take the parser quadratic time, and stops when its context ends. Raw HTML is not
// rendered.
package markdown
