// Package mechanisms has mechanisms to audit: right ones, which an audit must pass, and wrong
// ones, most of them published, which it must catch. Of each it has programs that draw
// outputs, inputs on which to try them, and mostly the output laws.
package mechanisms
