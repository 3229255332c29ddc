// Package tools lists the built-in tools. Each subdirectory is a category: one
// [tool.Set], one file per tool, named after it. Utilities are three packages of one category.
//
// It promises that names, aliases and the names that providers receive are unique over
// all sets, that every schema compiles, and that the list equals config/tools.txt; its
// tests check this for each category. It runs nothing and decides nothing: the
// catalogue and the policy decide which tools are offered and allowed.
package tools
