package source

/*
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// The part of tree-sitter's C interface (tree_sitter/api.h, version 0.25) that
// is used here. The Go module compiles it in, but does not export its header.
// TestParserAgreesWithTreeSitter guards these declarations.
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;

TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *);
bool ts_parser_set_language(TSParser *, const TSLanguage *);
TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
void ts_tree_delete(TSTree *);
TSNode ts_tree_root_node(const TSTree *);
uint32_t ts_node_descendant_count(TSNode);
uint16_t ts_node_symbol(TSNode);
uint32_t ts_node_start_byte(TSNode);
uint32_t ts_node_end_byte(TSNode);
bool ts_node_is_missing(TSNode);
TSTreeCursor ts_tree_cursor_new(TSNode);
void ts_tree_cursor_delete(TSTreeCursor *);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
bool ts_tree_cursor_goto_parent(TSTreeCursor *);
void ts_set_allocator(void *, void *, void *, void *);

// flat_node is one node of a tree in preorder.
typedef struct {
	uint32_t start, end, depth;
	uint16_t kind, field;
	bool missing;
} flat_node;

// parse_flat parses text and lists the tree's nodes. The caller frees the list.
// It is NULL when there is no memory.
static flat_node *parse_flat(TSParser *parser, const char *text, uint32_t length, uint32_t *count) {
	*count = 0;
	TSTree *tree = ts_parser_parse_string(parser, NULL, text, length);
	if (tree == NULL)
		return NULL;
	TSNode root = ts_tree_root_node(tree);
	uint32_t capacity = ts_node_descendant_count(root);
	flat_node *nodes = malloc(capacity * sizeof(flat_node));
	if (nodes != NULL) {
		TSTreeCursor cursor = ts_tree_cursor_new(root);
		uint32_t depth = 0;
		bool more = true;
		while (more && *count < capacity) {
			TSNode node = ts_tree_cursor_current_node(&cursor);
			nodes[(*count)++] = (flat_node){
				.start = ts_node_start_byte(node), .end = ts_node_end_byte(node), .depth = depth,
				.kind = ts_node_symbol(node), .field = ts_tree_cursor_current_field_id(&cursor),
				.missing = ts_node_is_missing(node),
			};
			if (ts_tree_cursor_goto_first_child(&cursor)) {
				depth++;
				continue;
			}
			while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
				if (!ts_tree_cursor_goto_parent(&cursor)) {
					more = false;
					break;
				}
				depth--;
			}
		}
		ts_tree_cursor_delete(&cursor);
	}
	ts_tree_delete(tree);
	return nodes;
}
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// grammar holds what tree-sitter's numbers stand for.
type grammar struct {
	kinds  []kindName
	fields []string
}

type kindName struct {
	name  string
	named bool
}

// errorKind is the kind number of what does not fit into the grammar.
const errorKind = 1<<16 - 1

var pythonGrammar = sync.OnceValue(func() *grammar {
	// The Go module makes tree-sitter allocate through Go, a call back for every
	// node. C's own allocator halves the time of a parse.
	C.ts_set_allocator(nil, nil, nil, nil)
	language := sitter.NewLanguage(python.Language())
	g := &grammar{}
	for id := range language.NodeKindCount() {
		g.kinds = append(g.kinds, kindName{
			language.NodeKindForId(uint16(id)), language.NodeKindIsNamed(uint16(id)),
		})
	}
	for id := range language.FieldCount() + 1 {
		g.fields = append(g.fields, language.FieldNameForId(uint16(id)))
	}
	return g
})

// kind returns the name of a kind of node.
func (g *grammar) kind(id C.uint16_t) kindName {
	if int(id) < len(g.kinds) {
		return g.kinds[id]
	}
	return kindName{"ERROR", true}
}

// parser is a tree-sitter parser for Python.
type parser struct{ inner *C.TSParser }

// parsers keeps parsers between files: making one costs more than parsing a
// small program. The pool may drop one at any time; the cleanup that newParser
// sets frees its C memory then.
var parsers = sync.Pool{New: func() any { return newParser() }}

func newParser() *parser {
	pythonGrammar()
	p := &parser{C.ts_parser_new()}
	if !C.ts_parser_set_language(p.inner, (*C.TSLanguage)(python.Language())) {
		// The two modules in go.mod do not fit together; no input causes this.
		panic("source: the Python grammar does not fit this version of tree-sitter")
	}
	runtime.AddCleanup(p, func(inner *C.TSParser) { C.ts_parser_delete(inner) }, p.inner)
	return p
}

// flatNode is a node as parse_flat lists it.
type flatNode = C.flat_node

// parse calls visit with the nodes of the text's tree in preorder. They are in
// C memory, and gone when parse returns. One call into C does it all, since
// calls cost more than what they would do for a single node.
func (p *parser) parse(text string, visit func(nodes []flatNode)) {
	if text == "" {
		text = "\n" // there has to be a first byte to point at
	}
	var count C.uint32_t
	nodes := C.parse_flat(p.inner, (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.uint32_t(len(text)), &count)
	runtime.KeepAlive(text)
	if nodes == nil {
		panic("source: out of memory while parsing")
	}
	defer C.free(unsafe.Pointer(nodes))
	visit(unsafe.Slice(nodes, count))
}
