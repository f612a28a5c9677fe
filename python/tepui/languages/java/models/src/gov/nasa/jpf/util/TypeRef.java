// The name of a class, as tests of Java PathFinder give it.
package gov.nasa.jpf.util;

public class TypeRef {
    public TypeRef(String name) {}
}
