// Package tools lists the built-in tools. Each directory below is a category:
// one [tool.Set], one file per tool, named after it.
//
// It promises that names, aliases and what providers make of them are unique
// over all sets, that every schema compiles, and that the list is the one in
// config/tools.txt; its tests hold each category to that. It runs nothing and
// decides nothing: which tools are offered and allowed is for the catalogue
// and the policy.
package tools
