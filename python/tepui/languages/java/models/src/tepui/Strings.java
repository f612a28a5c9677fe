// What String does with objects: it asks them for their strings.
package tepui;

import java.util.Locale;

public final class Strings {
    private Strings() {}

    public static String valueOf(Object o) {
        return o == null ? "null" : o.toString();
    }

    public static String format(String format, Object[] values) {
        if (format == null) {
            throw new NullPointerException();
        }
        Intrinsics.checkFormat(format, values);
        if (Intrinsics.ownTexts()) {
            for (int i = 0; i < values.length; i++) {
                valueOf(values[i]);
            }
        }
        return Intrinsics.opaqueString();
    }

    public static String format(Locale locale, String format, Object[] values) {
        return format(format, values);
    }

    public static String formatted(String format, Object[] values) {
        return format(format, values);
    }
}
