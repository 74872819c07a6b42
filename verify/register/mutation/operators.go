package mutation

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// change is one wrong change of a function: at a node, the text from one place to another is replaced.
type change struct {
	operator string
	alike    string // what it changes, the same for the same in other rooms
	old, new string
	body     string // statements that do what the changed function does
}

// changes returns the wrong changes of a function that the operators make, in the order of its text.
func (f function) changes() []change {
	if f.isValidation() {
		return nil
	}
	all := f.ofSignature()
	var around []ast.Node
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch {
		case n == nil:
			around = around[:len(around)-1]
			return true
		case f.isRefusal(n) || isMessage(n):
			return false
		}
		around = append(around, n)
		for _, e := range f.edits(n, around) {
			shown := f.shown(around, e)
			all = append(all, change{
				operator: e.operator, alike: e.operator + " " + plain(n) + " " + e.alike,
				old: oneLine(f.of(shown)), new: oneLine(f.with(shown, e.start, e.end, e.text)),
				body: f.closed(f.with(f.decl.Body, e.start, e.end, e.text), ""),
			})
		}
		return true
	})
	return all
}

// shown returns what a name shows of an edit: of a number or a name what is around it, if that is short.
func (f function) shown(around []ast.Node, e edit) ast.Node {
	switch e.node.(type) {
	case *ast.BasicLit, *ast.Ident:
		if parent := around[max(0, len(around)-2)]; len(f.of(parent)) <= 60 {
			return parent
		}
	}
	return e.node
}

// edit is a change of the text within a node.
type edit struct {
	operator   string
	node       ast.Node
	start, end token.Pos
	text       string
	alike      string // which of the edits of a node it is
}

// edits returns what the operators make of a node, which is the last of those around it.
func (f function) edits(n ast.Node, around []ast.Node) []edit {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return f.ofBinary(n)
	case *ast.CallExpr:
		return slices.Concat(f.ofCall(n), f.ofArguments(n))
	case *ast.BasicLit:
		return ofNumber(n, around[max(0, len(around)-2)])
	case *ast.Ident:
		if other := (map[string]string{"true": "false", "false": "true"})[n.Name]; other != "" {
			return []edit{replaced("a constant", n, other)}
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB || n.Op == token.NOT {
			return []edit{replaced("a sign", n, f.of(n.X))}
		}
	case *ast.RangeStmt:
		return []edit{
			within("a loop's end", n.X, n.X, "("+f.of(n.X)+")[1:]"),
			within("a loop's end", n.X, n.X, "("+f.of(n.X)+") - 1"),
		}
	}
	return f.ofStatement(n)
}

// replaced is a node replaced whole.
func replaced(operator string, n ast.Node, text string) edit {
	return edit{operator, n, n.Pos(), n.End(), text, text}
}

// within is a part of a node replaced.
func within(operator string, n, part ast.Node, text string) edit {
	return edit{operator, n, part.Pos(), part.End(), text, ""}
}

// otherSigns are the operators that take the place of one.
var otherSigns = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.LSS: {token.LEQ, token.GTR}, token.LEQ: {token.LSS, token.GEQ},
	token.GTR: {token.GEQ, token.LSS}, token.GEQ: {token.GTR, token.LEQ},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

func (f function) ofBinary(n *ast.BinaryExpr) (all []edit) {
	for _, other := range otherSigns[n.Op] {
		operator := "a sign"
		if n.Op.Precedence() == token.EQL.Precedence() {
			operator = "a comparison"
		}
		all = append(all, edit{operator, n, n.OpPos, n.OpPos + token.Pos(len(n.Op.String())), other.String(), other.String()})
	}
	switch n.Op {
	case token.ADD, token.MUL, token.LAND, token.LOR:
		all = append(all, without(n, f.of(n.X), "right"), without(n, f.of(n.Y), "left"))
	case token.SUB, token.QUO:
		all = append(all, without(n, f.of(n.X), "right"))
	}
	return all
}

// without is an expression with one term less.
func without(n ast.Node, text, which string) edit {
	return edit{"a term dropped", n, n.Pos(), n.End(), text, which}
}

// otherNames are the functions that take the place of one.
var otherNames = map[string]string{
	"Add": "Sub", "Sub": "Add", "Mul": "Quo", "Quo": "Mul", "add": "sub", "sub": "add", "mul": "quo", "quo": "mul",
	"plus": "minus", "minus": "plus", "Plus": "Minus", "Minus": "Plus", "times": "over", "over": "times",
	"min": "max", "max": "min", "Min": "Max", "Max": "Min", "larger": "smaller", "smaller": "larger",
}

// nameOf returns the name of what is called, and what stands before it.
func nameOf(n *ast.CallExpr) (before ast.Expr, name *ast.Ident) {
	switch x := n.Fun.(type) {
	case *ast.Ident:
		return nil, x
	case *ast.SelectorExpr:
		return x.X, x.Sel
	}
	return nil, nil
}

func (f function) ofCall(n *ast.CallExpr) (all []edit) {
	before, name := nameOf(n)
	if name == nil {
		return nil
	}
	other := otherNames[name.Name]
	if other != "" {
		all = append(all, edit{"a sign", n, name.Pos(), name.End(), other, other})
	}
	switch {
	case other != "" && len(n.Args) == 2:
		all = append(all, without(n, f.of(n.Args[0]), "right"), without(n, f.of(n.Args[1]), "left"))
	case other != "" && len(n.Args) == 1 && before != nil:
		all = append(all, without(n, f.of(before), "right"), without(n, f.of(n.Args[0]), "left"))
	case other == "" && len(n.Args) == 1 && before != nil && !isPackage(before, "slices", "maps", "rational"):
		all = append(all, edit{"a function dropped", n, n.Pos(), n.End(), f.of(n.Args[0]), ""})
	}
	return all
}

// ofArguments exchanges neighbouring arguments of a call.
func (f function) ofArguments(n *ast.CallExpr) (all []edit) {
	_, name := nameOf(n)
	isSymmetric := name != nil && otherNames[name.Name] != "" && strings.ToLower(name.Name) != "sub" && strings.ToLower(name.Name) != "quo"
	for i := 1; i < len(n.Args) && !isSymmetric; i++ {
		x, y := n.Args[i-1], n.Args[i]
		text := f.of(y) + f.from(x.End(), y.Pos()) + f.of(x)
		if f.of(x) != f.of(y) {
			all = append(all, edit{"arguments exchanged", n, x.Pos(), y.End(), text, strconv.Itoa(i)})
		}
	}
	return all
}

// ofNumber changes a number by 5 %, an integer by one. What x.Sign() and x.Cmp(y) are compared with stays.
func ofNumber(n *ast.BasicLit, parent ast.Node) []edit {
	comparison, isCompared := parent.(*ast.BinaryExpr)
	isCompared = isCompared && comparison.Op.Precedence() == token.EQL.Precedence()
	if isCompared {
		if call, isCall := comparison.X.(*ast.CallExpr); isCall {
			if _, name := nameOf(call); name != nil && (name.Name == "Sign" || name.Name == "Cmp") {
				return nil
			}
		}
	}
	more := replaced("a constant", n, "("+n.Value+" + 1)")
	x, _ := strconv.ParseInt(n.Value, 0, 64)
	switch {
	case n.Kind == token.FLOAT && strings.Trim(n.Value, "0.") != "":
		return []edit{replaced("a constant", n, "(1.05 * "+n.Value+")")}
	case n.Kind != token.INT:
		return nil
	case x >= 100:
		return []edit{replaced("a constant", n, "("+n.Value+" + "+n.Value+"/20)")}
	case x == 0 && isCompared: // with what is seldom negative
		return []edit{more}
	}
	return []edit{more, replaced("a constant", n, "("+n.Value+" - 1)")}
}

// ofStatement leaves out a statement, or a branch.
func (f function) ofStatement(n ast.Node) []edit {
	switch n := n.(type) {
	case *ast.IfStmt:
		return []edit{f.never(n.Cond, "a branch skipped"), within("a branch always", n.Cond, n.Cond, "true || ("+f.of(n.Cond)+")")}
	case *ast.ForStmt:
		if n.Cond != nil {
			return []edit{f.never(n.Cond, "a branch skipped")}
		}
	case *ast.SwitchStmt:
		return f.ofCases(n)
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt:
		return []edit{replaced("a statement dropped", n, "")}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return []edit{replaced("a statement dropped", n, "")}
		}
	}
	return nil
}

// never makes a condition false.
func (f function) never(cond ast.Expr, operator string) edit {
	return within(operator, cond, cond, "false && ("+f.of(cond)+")")
}

// ofCases skips each case of a switch.
func (f function) ofCases(n *ast.SwitchStmt) (all []edit) {
	for _, clause := range n.Body.List {
		c := clause.(*ast.CaseClause)
		if f.isRefusal(c) {
			continue
		}
		for _, x := range c.List {
			if n.Tag == nil {
				all = append(all, f.never(x, "a case skipped"))
			}
		}
		if n.Tag != nil && c.List != nil {
			all = append(all, edit{"a case skipped", c, c.Pos(), c.End(), "", f.of(c.List[0])})
		}
	}
	return all
}

// ofSignature changes each parameter before the function begins, and each result when it has ended.
func (f function) ofSignature() (all []change) {
	at := 0
	for _, field := range f.decl.Type.Params.List {
		for _, name := range field.Names {
			if text := changed(name.Name, f.of(field.Type)); text != "" && name.Name != "_" {
				all = append(all, change{"a parameter", fmt.Sprint(f.decl.Name.Name, " parameter ", at), name.Name, text, text + "\n"})
			}
			at++
		}
	}
	for i, kind := range f.results() {
		if text := changed(fmt.Sprint("x", i), kind); text != "" {
			all = append(all, change{"a result", fmt.Sprint(f.decl.Name.Name, " result ", i), fmt.Sprint("x", i), text, f.closed(f.of(f.decl.Body), text)})
		}
	}
	return all
}

// changed returns statements that change a variable of a type: a number by 5 %, a count by one, a truth to its
// contrary, a list by its first element.
func changed(name, kind string) string {
	switch {
	case kind == "float64":
		return name + " *= 1.05"
	case kind == "int", kind == "int64":
		return name + "++"
	case kind == "bool":
		return name + " = !" + name
	case kind == "*big.Rat":
		return fmt.Sprintf("if %s != nil { %[1]s = new(big.Rat).Mul(%[1]s, big.NewRat(21, 20)) }", name)
	case kind == "interval.Interval":
		return fmt.Sprintf("%s = interval.Precision(200).Mul(%[1]s, interval.Precision(200).Rat(big.NewRat(21, 20)))", name)
	case kind == "interval.Float":
		return fmt.Sprintf("%s = %[1]s.Mul(interval.Point(1.05))", name)
	case strings.HasPrefix(kind, "[]"):
		return fmt.Sprintf("%s = %[1]s[min(1, len(%[1]s)):]", name)
	}
	return ""
}

// isRefusal reports whether n is an if, or a case, that ends with an error: what a function says of bad input is tested
// elsewhere.
func (f function) isRefusal(n ast.Node) bool {
	var body []ast.Stmt
	switch n := n.(type) {
	case *ast.IfStmt:
		if n.Else == nil {
			body = n.Body.List
		}
	case *ast.CaseClause:
		body = n.Body
	}
	if len(body) == 0 {
		return false
	}
	var last ast.Expr
	switch end := body[len(body)-1].(type) {
	case *ast.ReturnStmt:
		if len(end.Results) > 0 {
			last = end.Results[len(end.Results)-1]
		}
	case *ast.AssignStmt:
		last = end.Lhs[0]
	}
	return last != nil && saysRefused.MatchString(f.of(last))
}

// saysRefused finds an error that is returned, or set.
var saysRefused = regexp.MustCompile(`^(err$|fmt\.Errorf\(|errors\.New\(|&(Input|Delta)Error\{)`)

// saysWhatIsWrong finds what makes an error of an input.
var saysWhatIsWrong = regexp.MustCompile(`\b(fmt\.Errorf|must|cmp\.Or|domain|domainOf)\(`)

// isValidation reports whether f does nothing but say what is wrong with an input, or make another text.
func (f function) isValidation() bool {
	results := f.results()
	if len(results) != 1 || f.decl.Name.IsExported() {
		return false
	}
	return results[0] == "string" || results[0] == "error" && saysWhatIsWrong.MatchString(f.of(f.decl.Body))
}

// isMessage reports whether n makes a text or ∞, checks an input, sets memory aside or ends the program: what no number
// depends on.
func isMessage(n ast.Node) bool {
	call, isCall := n.(*ast.CallExpr)
	if !isCall {
		return false
	}
	before, name := nameOf(call)
	if name == nil {
		return false
	}
	return slices.Contains([]string{"panic", "Inf", "Grow"}, name.Name) || strings.HasPrefix(name.Name, "check") || isPackage(before, "fmt", "errors")
}

// isPackage reports whether x is one of these names.
func isPackage(x ast.Expr, names ...string) bool {
	name, isName := x.(*ast.Ident)
	return isName && slices.Contains(names, name.Name)
}

// oneLine returns a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
